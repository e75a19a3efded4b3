import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findStarts, operatorTokenFile } from '../local/running.ts'
import { OperatorError, operator } from './operator.ts'

// All that a team has, exported, imported or erased, and a sign-in link, by the Worker's routes for the operator.

const IMPORT_BYTES = 4 * 1024 * 1024

interface ObjectFile {
  name: string
  type: string
  file: string
}

interface TeamOptions {
  url?: string | undefined
  folder?: string | undefined
  user?: string | undefined
}

type OperatorCommand = 'export' | 'import' | 'erase' | 'sign-in'

/** Rows of these let somebody act in a team. */
const ACTORS = ['api_key', 'user', 'passkey']

/** When a line of an export is imported: the team, then its files, then all others, and last who can act. */
type Stage = 'team' | 'others' | 'actors'
function toStage(line: string): Stage {
  const table = /^\{"table":"(\w+)"/.exec(line)?.[1] ?? ''
  if (table === 'team') return 'team'
  return ACTORS.includes(table) ? 'actors' : 'others'
}

/** Lines, as many as one request takes. */
function* splitIntoParts(lines: readonly string[]): Generator<string> {
  let part: string[] = []
  let bytes = 0
  for (const line of lines) {
    const length = Buffer.byteLength(line) + 1
    if (part.length > 0 && bytes + length > IMPORT_BYTES) {
      yield part.join('\n')
      part = []
      bytes = 0
    }
    part.push(line)
    bytes += length
  }
  if (part.length > 0) yield part.join('\n')
}

/** Why the command cannot be run as it was called. */
export class NoTokenError extends Error {}

export async function runOperatorCommand(command: OperatorCommand, team: string, options: TeamOptions): Promise<void> {
  const starts = findStarts()
  const url = (options.url ?? `http://localhost:${starts[0]?.port ?? 8787}`).replace(/\/+$/, '')
  const { folder = team } = options
  const token = process.env.OPERATOR_TOKEN ?? localToken()
  if (!token)
    throw new NoTokenError(
      `OPERATOR_TOKEN is not set, and no npm start runs at ${url}, whose token would be found by itself`,
    )
  const { json, request } = operator(url, token)
  const rowsFile = path.join(folder, 'rows.ndjson')
  const objectsFile = path.join(folder, 'objects.json')
  const objectPath = (id: string, name: string) => `/team/${id}/object?name=${encodeURIComponent(name)}`
  await { export: exportTo, import: importFrom, erase, 'sign-in': signIn }[command](team)

  /** Undefined: it has expired since it was listed, or was written anew. */
  async function findObject(at: string): Promise<Response | undefined> {
    try {
      return await request('GET', at)
    } catch (error) {
      if (error instanceof OperatorError && error.status === 404) return undefined
      throw error
    }
  }

  /** That of the `npm start` at the address. */
  function localToken(): string | undefined {
    const start = starts.find(({ port }) => url === `http://localhost:${port}` || url === `http://127.0.0.1:${port}`)
    const file = start && operatorTokenFile(start.state)
    return file !== undefined && existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined
  }

  async function exportTo(name: string): Promise<void> {
    const { id } = await json<{ id: string }>('GET', `/team/${name}`)
    mkdirSync(path.join(folder, 'objects'), { recursive: true })
    const written = createWriteStream(rowsFile)
    let rows = 0
    for (let next: string | undefined = ''; next !== undefined; ) {
      const after: string = next === '' ? '' : `?after=${encodeURIComponent(next)}`
      const lines = (await (await request('GET', `/team/${id}/rows${after}`)).text()).trimEnd().split('\n')
      const last = JSON.parse(lines.pop() ?? '') as { next?: string; rows: number }
      if (last.rows !== lines.length) throw new Error(`${lines.length} of ${last.rows} rows arrived; export again`)
      if (lines.length > 0) written.write(`${lines.join('\n')}\n`)
      rows += lines.length
      next = last.next
    }
    await new Promise(resolve => written.end(resolve))
    const objects: ObjectFile[] = []
    const known = new Set<string>()
    // An erasure may write one anew, under a name that the walk has passed: it ends with a walk that finds no other.
    for (let after = '', isNew = false; ; ) {
      const query = `?after=${encodeURIComponent(after)}`
      const { names } = await json<{ names: string[] }>('GET', `/team/${id}/objects${query}`)
      if (names.length === 0 && !isNew) break
      for (const each of names) {
        if (known.has(each)) continue
        known.add(each)
        isNew = true
        const response = await findObject(objectPath(id, each))
        if (!response) continue
        const file = path.join('objects', String(objects.length))
        writeFileSync(path.join(folder, file), new Uint8Array(await response.arrayBuffer()))
        objects.push({ name: each, type: response.headers.get('content-type') ?? '', file })
      }
      after = names.at(-1) ?? ''
      if (names.length === 0) isNew = false
    }
    writeFileSync(objectsFile, `${JSON.stringify(objects, null, 2)}\n`)
    console.log(`${rows} rows and ${objects.length} files of ${name} are in ${folder}`)
  }

  async function importFrom(name: string): Promise<void> {
    if (!existsSync(rowsFile)) throw new Error(`there is no ${rowsFile}: --folder names what an export has written`)
    const lines = readFileSync(rowsFile, 'utf8').trimEnd().split('\n')
    const { row } = JSON.parse(lines[0] ?? '{}') as { row: { no: number; id: string; short_id: string } }
    if (name !== row.id && name !== row.short_id) throw new Error(`${folder} has the team ${row.short_id}, not ${name}`)
    const send = async (some: readonly string[], query = '') => {
      let rows = 0
      for (const part of splitIntoParts(some))
        rows += (await json<{ rows: number }>('POST', `/rows?team=${row.no}${query}`, part)).rows
      return rows
    }
    // What collides is found before anything is written, wherever in the export it stands.
    await send(lines, '&dryRun=true')
    // Nobody can act in the team, and erase what is yet to come, before all the rest of it is there.
    const ofStage = (stage: Stage) => lines.filter(line => toStage(line) === stage)
    let rows = await send(ofStage('team'))
    const objects = JSON.parse(readFileSync(objectsFile, 'utf8')) as ObjectFile[]
    for (const { name: object, type, file } of objects)
      await json('PUT', objectPath(row.id, object), new Uint8Array(readFileSync(path.join(folder, file))), {
        'content-type': type,
      })
    rows += await send(ofStage('others'))
    rows += await send(ofStage('actors'))
    console.log(`${rows} rows and ${objects.length} files of ${name} are there, and were read back`)
  }

  async function erase(id: string): Promise<void> {
    const found = await json<{ id: string; name: string }>('GET', `/team/${id}`)
    if (found.id !== id) throw new Error(`to erase ${found.name} for good, name it by its id: ${found.id}`)
    let rows = 0
    for (let after = ''; ; ) {
      const progress = await json<{ done: boolean; next?: string; waitMs?: number; rows: number }>(
        'POST',
        `/team/${id}/erase${after}`,
      )
      rows += progress.rows
      if (progress.done) break
      if (progress.waitMs) {
        console.log(
          `its keys are revoked; ${Math.ceil(progress.waitMs / 1000)} s until nobody can act with one any more`,
        )
        await setTimeout(progress.waitMs)
      }
      after = progress.next ? `?after=${encodeURIComponent(progress.next)}` : ''
    }
    console.log(`${found.name} is erased: ${rows} rows, and its files`)
  }

  async function signIn(name: string): Promise<void> {
    const query = options.user === undefined ? '' : `?user=${encodeURIComponent(options.user)}`
    const { url: address } = await json<{ url: string }>('POST', `/team/${name}/sign-in-link${query}`)
    console.log(`${address}\nThe link works once, within an hour.`)
  }
}
