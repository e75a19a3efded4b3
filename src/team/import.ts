import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Db } from '../db/client.ts'
import { write } from '../db/write.ts'
import { AppError, invalid } from '../errors.ts'
import { type Cipher, canRead, readKeyId } from '../plugin/secret/cipher.ts'
import { SECRET_COLUMNS } from '../plugin/secret/secret-columns.ts'
import { addImportedElements } from '../procedure/index/elements.ts'
import { process } from '../process/table.ts'
import { indexImported } from './import-words.ts'
import { team } from './table.ts'
import { insertRows, selectChanged, selectMissing, selectTaken } from './table-rows.ts'
import { WALKED_TABLES, type WalkedTable } from './tables.ts'

/** D1 binds texts of up to 2,000,000 bytes. */
const BYTES_PER_STATEMENT = 1_900_000
const LINES_PER_STATEMENT = 500

const Line = z.object({ table: z.string(), row: z.record(z.string(), z.unknown()) })

export type ImportMode = 'write' | 'dry run' | 'replacing'

interface Group {
  table: WalkedTable
  lines: string[]
  bytes: number
  list: () => string
}

/**
 * Writes lines of an export, and reads each row back: it must be the same line. What is there already and is the same is
 * passed over, so that an import that broke off is repeated. What collides with a row that is there is refused before any
 * of these lines is written; a dry run does nothing else. `replacing`: one for a team that will be erased before it is imported.
 * What follows from a document within its row, as slots do, is not computed anew: an export has it from the database, only
 * the operator imports, and what is read back could not be the same line.
 */
export async function importRows(
  db: () => Db,
  cipher: Cipher,
  { team, mode }: { team: number; mode: ImportMode },
  body: string,
): Promise<number> {
  const groups = listGroups(team, body)
  await requireReadable(cipher, groups)
  for (const group of groups) await requireFree(db(), team, group, mode)
  for (const group of mode === 'write' ? groups : []) {
    const { table, list } = group
    await write(
      { db: db(), idempotency: null },
      { effect: [insertRows(table, list())], derived: listDerived(table, list()), outcome: null },
    )
    const [missing] = await db().read(selectMissing(table, list()))
    if (missing[0]) throw changedError(table, missing[0].line)
    if (table.table === process) await indexImported(db(), team, list())
  }
  return groups.reduce((sum, { lines }) => sum + lines.length, 0)
}

/** Numbers and ids are kept in a move, so that what points at a row goes on to do so: then they must be free here. */
async function requireFree(db: Db, team: number, { table, list }: Group, mode: ImportMode): Promise<void> {
  const [[isAnother], ...ofOthers] = await db.read(selectChanged(table, list()), ...selectTaken(table, team, list()))
  const [isTaken] = ofOthers.flat()
  if (isTaken) throw takenError(table, isTaken.line)
  if (isAnother && mode !== 'replacing') throw changedError(table, isAnother.line)
}

const shortIdIn = (line: string): string => (JSON.parse(line) as { row: { short_id: string } }).row.short_id

/** The error of a row whose number, id or key belongs to another team. For the row of the team itself it is mostly the short id. */
const takenError = ({ name, table }: WalkedTable, line: string): AppError =>
  table === team
    ? new AppError('conflict', [
        {
          message: `another team with the short id ${shortIdIn(line)} or the same number is there already; nothing was written`,
          hint: 'an import puts a team back where it was erased, or into an installation that does not have it',
          detail: { row: line },
        },
      ])
    : new AppError('conflict', [
        {
          message: `a row of ${name} has a number or an id that another team has here; nothing was written`,
          hint: 'numbers cannot be changed, because ids contain them: import into a database in which they are free',
          detail: { row: line },
        },
      ])

/** A row of the team that is there already, and was changed since in the installation, or in the export. */
const changedError = ({ name }: WalkedTable, line: string): AppError =>
  new AppError('conflict', [
    {
      message: `a row of ${name} is there already, and is another one`,
      hint: 'to import a newer export, erase the team here first',
      detail: { row: line },
    },
  ])

/** The secrets of plugins and webhooks travel as they are encrypted: without the key nothing could be sent here. */
async function requireReadable(cipher: Cipher, groups: readonly Group[]): Promise<void> {
  const stored = groups.flatMap(({ table, lines }) => {
    const names = table.columns.flatMap(({ name, column }) =>
      SECRET_COLUMNS.some(each => each.column === column) ? [name] : [],
    )
    if (names.length === 0) return []
    return lines.flatMap(line => {
      const { row } = Line.parse(JSON.parse(line))
      return names.map(name => row[name])
    })
  })
  const secrets = stored.filter(each => typeof each === 'string')
  if (await canRead(cipher, secrets)) return
  const known = await cipher.keyIds().catch((): string[] => [])
  const foreign = new Set(secrets.map(readKeyId).filter(id => id !== '' && !known.includes(id)))
  throw new AppError('conflict', [
    {
      message: `the secrets of plugins and webhooks were encrypted with another SECRETS_KEY (${[...foreign].join(', ')}); nothing was written`,
      hint: 'set the secret SECRETS_KEY_PREVIOUS to the SECRETS_KEY of the installation that the export is of, and import again',
      detail: { keys: [...foreign], known },
    },
  ])
}

/** Elements follow from processes, and from procedures, which come before them in every export. */
function listDerived(table: WalkedTable, list: string) {
  if (table.table !== process) return undefined
  return { before: [], after: [addImportedElements(sql`SELECT value ->> '$.row.rid' FROM json_each(${list})`)] }
}

function listGroups(team: number, body: string): Group[] {
  const groups: Group[] = []
  const encoder = new TextEncoder()
  for (const [nth, line] of body.split('\n').entries()) {
    if (line === '') continue
    const table = findTable(team, line, nth)
    const bytes = encoder.encode(line).length
    let group = groups.at(-1)
    const isFull = group && (group.bytes + bytes > BYTES_PER_STATEMENT || group.lines.length >= LINES_PER_STATEMENT)
    if (group?.table !== table || isFull) {
      const started: string[] = []
      group = { table, lines: started, bytes: 0, list: () => `[${started.join(',')}]` }
      groups.push(group)
    }
    group.lines.push(line)
    group.bytes += bytes
  }
  return groups
}

function findTable(team: number, line: string, nth: number): WalkedTable {
  const refused = (message: string) => invalid([{ message: `line ${nth + 1} ${message}`, path: '/body' }])
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    throw refused('is not JSON')
  }
  const { data } = Line.safeParse(parsed)
  const table = WALKED_TABLES.find(each => each.name === data?.table && !each.isNotExported)
  if (!data || !table) throw refused('names no table')
  const expected = table.columns.map(({ name }) => name)
  if (Object.keys(data.row).sort().join() !== [...expected].sort().join())
    throw refused(`does not have the columns of ${table.name}`)
  const misfit = table.columns.find(column => !fits(column, data.row[column.name]))
  if (misfit) throw refused(`has a value of ${table.name} that ${misfit.name} can't hold`)
  const teamColumn = table.columns.find(({ column }) => column === table.team)?.name ?? ''
  if (data.row[teamColumn] !== team) throw refused('is a row of another team')
  return table
}

/** SQLite's whole numbers have 63 bits. */
const INTEGER_MAX = 2 ** 63
const Bytes = z.strictObject({ hex: z.string().regex(/^([0-9A-F]{2})*$/i) })

/** Whether an exported row can have this value: a column of text may hold bytes, which travel as `{"hex": …}`. */
function fits({ column, isDocument }: WalkedTable['columns'][number], value: unknown): boolean {
  if (isDocument) return true
  if (value === null) return !column.notNull
  const type = column.getSQLType()
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < INTEGER_MAX
  if (typeof value === 'string' || Bytes.safeParse(value).success) return true
  return type === 'blob' && typeof value === 'number'
}
