import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Started } from '../support/started.ts'
import { runTool } from './tools.ts'

interface Item {
  id: string
  name: string
}
interface Folder {
  name: string
  item: Item[]
}
interface Collection {
  item: Folder[]
}
interface Execution {
  item: Item
  request: { method: string; url: { path: string[] } }
  response?: { code: number; stream?: { data: number[] } }
  assertions?: { error?: { message: string } }[]
}

/** A request as it was sent, and its response. */
export interface Sent {
  id: string
  status: number
  body: string
}

const isEnd = (id: string): number => (/^(delete|revoke|remove)/.test(id) ? 1 : id.startsWith('restore') ? 2 : 0)

/**
 * Sends each request of `/postman.json` with newman, as it is printed. Those that delete come last: folders are for
 * readers. What the ids of plugins are, a reader sees in the first folder.
 */
export async function sendCollection(home: string, { url, token }: Started): Promise<Sent[]> {
  const collection = (await (await fetch(`${url}/postman.json`)).json()) as Collection
  const all = collection.item.flatMap(({ item }) => item)
  const plugins = all.filter(({ id }) => id === 'listPlugins')
  const item = [...plugins, ...all.sort((a, b) => isEnd(a.id) - isEnd(b.id))]
  writeFileSync(path.join(home, 'postman.json'), JSON.stringify({ ...collection, item }))
  writeFileSync(path.join(home, 'offer.pdf'), '%PDF-1.7\n')
  await runTool(
    home,
    ...(['newman', 'run', 'postman.json', '--env-var', `token=${token}`, '--working-dir', home] as const),
    ...['--reporters', 'json', '--reporter-json-export', 'newman.json', '--timeout-request', '20000'],
  )
  const { run } = JSON.parse(readFileSync(path.join(home, 'newman.json'), 'utf8')) as {
    run: { executions: Execution[]; failures: { error: { message: string }; source?: Item }[] }
  }
  if (run.failures.length > 0) throw new Error(run.failures.map(({ error, source }) => `${source?.name}: ${error.message}`).join('\n'))
  return run.executions.map(({ item: { id }, response }) => ({
    id,
    status: response?.code ?? 0,
    body: Buffer.from(response?.stream?.data ?? []).toString(),
  }))
}
