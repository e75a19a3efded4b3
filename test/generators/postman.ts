import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { runTool } from './tools.ts'

interface Item {
  id: string
  request: { header?: Variable[]; body?: { mode: string; raw?: string } }
}
interface Variable {
  key: string
  value: string
}
export interface Collection {
  item: { item: Item[] }[]
  variable: Variable[]
}
interface Execution {
  item: Item
  response?: { code: number; stream?: { data: number[] } }
}
interface Report {
  run: { executions: Execution[]; failures: { error: { message: string }; source?: { name: string } }[] }
}

/** A response to a request of the collection. */
export interface Sent {
  id: string
  status: number
  body: string
}

/** The requests about jobs are shown with a bulk update, so other jobs are made later. What deletes comes last. */
const TURNS = [/^(bulkSend|bulkCreate|bulkUpsert|schedule)/, /^createPlugin/, /^(delete|revoke|remove)/, /^restore/]
const getTurn = (id: string): number => TURNS.findIndex(turn => turn.test(id))

/** The server closes a connection that was idle, or whose request it has not read to its end, also under the next request. */
const OWN_CONNECTION: Variable = { key: 'Connection', value: 'close' }

/** Sends each request of the collection with newman. Folders are for readers: who sends by hand lists the plugins first. */
export async function sendCollection(home: string, collection: Collection, values: object): Promise<Sent[]> {
  const all = collection.item.flatMap(({ item }) => item)
  const plugins = all.filter(({ id }) => id === 'listPlugins')
  const inOrder = [...plugins, ...all.sort((a, b) => getTurn(a.id) - getTurn(b.id))]
  const item = inOrder.map(({ request, ...rest }) => ({
    ...rest,
    request: { ...request, header: [...(request.header ?? []), OWN_CONNECTION] },
  }))
  writeFileSync(path.join(home, 'postman.json'), JSON.stringify({ ...collection, item }))
  writeFileSync(path.join(home, 'offer.pdf'), '%PDF-1.7\n')
  const set = Object.entries(values).flatMap(([name, value]) => ['--env-var', `${name}=${value}`])
  await runTool(
    home,
    ...(['newman', 'run', 'postman.json', '--working-dir', home, ...set] as const),
    // The report has the failures, and says more than the exit code.
    ...[
      '--reporters',
      'json',
      '--reporter-json-export',
      'newman.json',
      '--timeout-request',
      '20000',
      '--suppress-exit-code',
    ],
  )
  const { run } = JSON.parse(readFileSync(path.join(home, 'newman.json'), 'utf8')) as Report
  const failures = run.failures.map(({ error, source }) => `${source?.name}: ${error.message}`)
  if (failures.length > 0) throw new Error(`newman:\n${failures.join('\n')}`)
  return run.executions.map(({ item: { id }, response }) => ({
    id,
    status: response?.code ?? 0,
    body: Buffer.from(response?.stream?.data ?? []).toString(),
  }))
}
