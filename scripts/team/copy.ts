import { type Operator, OperatorError } from './operator.ts'

// What is in the folder of an export, and of a backup: all rows of a team, one a line, and its files. This file and those that
// import it know neither the disk nor the network, so that a test can break each of their calls.

/** Where copies are kept. Names of files are relative to it. */
export interface Folder {
  readText: (file: string) => string | undefined
  writeText: (file: string, text: string) => Promise<void>
  readLines: (file: string) => AsyncIterable<string>
  /** Each part ends with a line feed. */
  writeLines: (file: string, parts: AsyncIterable<string>) => Promise<void>
  readBytes: (file: string) => Promise<Uint8Array<ArrayBuffer>>
  writeBytes: (file: string, bytes: Uint8Array<ArrayBuffer>) => Promise<void>
  /** Undefined: there is no such file. */
  getSize: (file: string) => Promise<number | undefined>
  /** The names of the folders in it. */
  list: (folder: string) => string[]
  remove: (file: string) => void
}

export interface ObjectFile {
  name: string
  type: string
  file: string
  bytes?: number
}

/** Rows by table. */
export type RowCounts = Record<string, number>

/** A team as the API shows it to the operator. */
export interface OperatorTeam {
  no: number
  id: string
  shortId: string
  name: string
  suspendedAt: number | null
  erasingAt: number | null
  /** False: it is there in part, because an import has not come to its end. */
  hasActors: boolean
  mark: string
  /** The versions of its definitions: they are in the mark, too. */
  definitions: string
  /** The time of the installation. */
  now: number
}

const IMPORT_BYTES = 4 * 1024 * 1024
const join = (folder: string, file: string): string => (folder === '' ? file : `${folder}/${file}`)
export const ROWS_FILE = 'rows.ndjson'
export const OBJECTS_FILE = 'objects.json'

export const readTable = (line: string): string => /^\{"table":"(\w+)"/.exec(line)?.[1] ?? ''

export function countLine(counts: RowCounts, line: string): void {
  const table = readTable(line)
  counts[table] = (counts[table] ?? 0) + 1
}

export const sumRows = (counts: RowCounts): number => Object.values(counts).reduce((one, other) => one + other, 0)

const objectPath = (id: string, name: string): string => `/team/${id}/object?name=${encodeURIComponent(name)}`

/** Writes all rows of a team to a file. */
export async function copyRows(
  { request }: Operator,
  id: string,
  { folder, at }: { folder: Folder; at: string },
): Promise<RowCounts> {
  const counts: RowCounts = {}
  folder.remove(join(at, OBJECTS_FILE))
  async function* readParts(): AsyncGenerator<string> {
    for (let next: string | undefined = ''; next !== undefined; ) {
      const after: string = next === '' ? '' : `?after=${encodeURIComponent(next)}`
      const lines = (await (await request('GET', `/team/${id}/rows${after}`)).text()).trimEnd().split('\n')
      const last = JSON.parse(lines.pop() ?? '') as { next?: string; rows: number }
      if (last.rows !== lines.length) throw new Error(`${lines.length} of ${last.rows} rows arrived; export again`)
      for (const line of lines) countLine(counts, line)
      if (lines.length > 0) yield `${lines.join('\n')}\n`
      next = last.next
    }
  }
  await folder.writeLines(join(at, ROWS_FILE), readParts())
  return counts
}

/** Writes all files of a team beside its rows, and at the end the list of them. */
export async function copyObjects(
  { json, request }: Operator,
  id: string,
  { folder, at }: { folder: Folder; at: string },
): Promise<ObjectFile[]> {
  /** Undefined: it has expired since it was listed, or was written anew. */
  const findObject = (name: string) =>
    request('GET', objectPath(id, name)).catch((error: unknown) => {
      if (error instanceof OperatorError && error.status === 404) return undefined
      throw error
    })
  const objects: ObjectFile[] = []
  const known = new Set<string>()
  // An erasure may write one anew, under a name that the walk has passed: it ends with a walk that finds no other.
  for (let after = '', isNew = false; ; ) {
    const { names } = await json<{ names: string[] }>('GET', `/team/${id}/objects?after=${encodeURIComponent(after)}`)
    if (names.length === 0 && !isNew) break
    for (const name of names) {
      if (known.has(name)) continue
      known.add(name)
      isNew = true
      const response = await findObject(name)
      if (!response) continue
      const file = `objects/${objects.length}`
      const bytes = new Uint8Array(await response.arrayBuffer())
      await folder.writeBytes(join(at, file), bytes)
      objects.push({ name, type: response.headers.get('content-type') ?? '', file, bytes: bytes.length })
    }
    after = names.at(-1) ?? ''
    if (names.length === 0) isNew = false
  }
  await folder.writeText(join(at, OBJECTS_FILE), `${JSON.stringify(objects, null, 2)}\n`)
  return objects
}

/** The list is written last: without it, the copy has not come to its end. */
export function readObjects(folder: Folder, at: string): ObjectFile[] {
  const text = folder.readText(join(at, OBJECTS_FILE))
  if (text === undefined) throw new Error(`there is no ${join(at, OBJECTS_FILE)}: the export has not come to its end`)
  return JSON.parse(text) as ObjectFile[]
}

/** Rows of these write to a team, also to one that is suspended: an erasure would end before what it erases is there. */
const WRITERS = ['plugin', 'webhook', 'record_erasure', 'record_move', 'erasure_sweep', 'erased_process']
/** Rows of these let somebody act in a team. */
const ACTORS = ['api_key', 'user', 'passkey']

/** When a line of an export is imported: the team, then its files, then all others, what writes to them, and last who can act. */
type Stage = 'team' | 'others' | 'writers' | 'actors'
function toStage(line: string): Stage {
  const table = readTable(line)
  if (table === 'team') return 'team'
  if (WRITERS.includes(table)) return 'writers'
  return ACTORS.includes(table) ? 'actors' : 'others'
}

/** Lines, as many as one request takes. */
async function* splitIntoParts(lines: AsyncIterable<string>): AsyncGenerator<string> {
  const encoder = new TextEncoder()
  let part: string[] = []
  let bytes = 0
  for await (const line of lines) {
    const length = encoder.encode(line).length + 1
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

/** Where the rows and the files of an import are. */
export interface CopyToImport {
  folder: Folder
  rowsFile: string
  /** The folder of its files. */
  at: string
  team: Pick<OperatorTeam, 'no' | 'id'>
}

async function sendRows(
  { json }: Operator,
  { folder, rowsFile, team }: CopyToImport,
  { stage, query = '' }: { stage?: Stage; query?: string },
): Promise<number> {
  async function* choose(): AsyncGenerator<string> {
    for await (const line of folder.readLines(rowsFile))
      if (line !== '' && (stage === undefined || toStage(line) === stage)) yield line
  }
  let rows = 0
  for await (const part of splitIntoParts(choose()))
    rows += (await json<{ rows: number }>('POST', `/rows?team=${team.no}${query}`, part)).rows
  return rows
}

/**
 * Asks whether anything of it is taken, or cannot be read: what collides is found before anything is written, wherever it
 * stands. `replacing`: the team is there, and goes before the import.
 */
export const tryImport = (operator: Operator, copy: CopyToImport, mode: 'true' | 'replacing'): Promise<number> =>
  sendRows(operator, copy, { query: `&dryRun=${mode}` })

/** Writes a copy back. Nothing and nobody can act in the team, and erase what is yet to come, before all the rest of it is there. */
export async function importCopy(operator: Operator, copy: CopyToImport): Promise<{ rows: number; objects: number }> {
  let rows = await sendRows(operator, copy, { stage: 'team' })
  const objects = readObjects(copy.folder, copy.at)
  for (const { name, type, file } of objects)
    await operator.json('PUT', objectPath(copy.team.id, name), await copy.folder.readBytes(join(copy.at, file)), {
      'content-type': type,
    })
  for (const stage of ['others', 'writers', 'actors'] as const) rows += await sendRows(operator, copy, { stage })
  return { rows, objects: objects.length }
}

/** Of a team that has just been imported: what its jobs have sent since the copy is not in it, and would be sent again. */
export async function cancelSends(
  { operator, say }: { operator: Operator; say: (text: string) => void },
  id: string,
): Promise<void> {
  const { interruptedJobs } = await operator.json<{ interruptedJobs: number }>('POST', `/team/${id}/cancel-sends`)
  if (interruptedJobs > 0) say(`cancelled  ${interruptedJobs} jobs that send, and may have begun`)
}

/** Erases a team for good. `wait` is for the time in which isolates still trust its keys. */
export async function eraseCopied(
  { json }: Operator,
  id: string,
  { say, wait }: { say: (text: string) => void; wait: (ms: number) => Promise<void> },
): Promise<number> {
  let rows = 0
  for (let after = ''; ; ) {
    const progress = await json<{ done: boolean; next?: string; waitMs?: number; rows: number }>(
      'POST',
      `/team/${id}/erase${after}`,
    )
    rows += progress.rows
    if (progress.done) return rows
    if (progress.waitMs) {
      say(`its keys are revoked; ${Math.ceil(progress.waitMs / 1000)} s until nobody can act with one any more`)
      await wait(progress.waitMs)
    }
    after = progress.next ? `?after=${encodeURIComponent(progress.next)}` : ''
  }
}
