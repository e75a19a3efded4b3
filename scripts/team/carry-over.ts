import { readTable } from './copy.ts'

// A restore of one team brings its data back. What was decided since stays as it is now: who may act in the team, who has opted
// out of messages, whose number was erased, what the team has used. These rows are imported from the copy of the living team,
// so a revoked key or an erased number is not back even for a moment.

/** Tables that stay as they are now. */
const AS_NOW = ['user', 'passkey', 'api_key', 'opt_out', 'erased_identity', 'usage_day', 'request_batch']

/** Columns that stay as they are now, in rows that are in both, by table. */
const SECRETS: Record<string, readonly string[]> = {
  plugin: ['access_token', 'app_secret', 'verify_token'],
  webhook: ['secret', 'previous_secret', 'previous_secret_until'],
}

interface CarriedOver {
  /** The lines of the backup, each time from the first one. */
  backup: () => AsyncIterable<string>
  /** Those of the team as it is now; none if it was erased. */
  now: (() => AsyncIterable<string>) | undefined
  /** When the backup was made. The team is imported suspended, and has rested since then: what ends after days of failing has not failed. */
  at: number
}

/** The rows to import, as lines. */
export async function* carryOver({ backup, now, at }: CarriedOver): AsyncGenerator<string> {
  const known = now && (await readNow(now()))
  const procedures = new Set<string>()
  for await (const line of backup()) {
    const table = readTable(line)
    if (known && AS_NOW.includes(table)) continue
    if (table === 'team') {
      const limited = known ? replaceMembers(line, { rows_per_day: readMember(known.team, 'rows_per_day') }) : line
      yield suspendTeam(limited, at)
    } else if (table === 'procedure' && known) {
      const id = readMember(line, 'id')
      for (const name of [id, readMember(line, 'short_id')]) procedures.add(name)
      yield replaceMembers(line, { version: nextVersion(line, known.procedures.get(id)) })
    } else if (known && SECRETS[table]) {
      yield replaceMembers(line, known.secrets.get(`${table} ${readMember(line, 'id')}`) ?? {})
    } else yield line
  }
  if (!now) return
  for await (const line of now()) {
    const table = readTable(line)
    // Procedures that were made since stay, without processes: isolates know them by their numbers, which no other one may get.
    const isNew = table === 'procedure' && !['id', 'short_id'].some(name => procedures.has(readMember(line, name)))
    if (isNew || AS_NOW.includes(table)) yield line
  }
}

/** The line of a team that is suspended, as it was or from then on; any other line as it is. */
export const suspendTeam = (line: string, at: number): string =>
  readTable(line) === 'team' && readMember(line, 'suspended_at') === 'null'
    ? replaceMembers(line, { suspended_at: String(at) })
    : line

/** Isolates remember definitions by their versions: one that comes back must not have that of another. */
function nextVersion(line: string, known: string | undefined): string {
  const version = readMember(line, 'version')
  return known === undefined || known === version ? version : String(Math.max(Number(version), Number(known)) + 1)
}

async function readNow(lines: AsyncIterable<string>) {
  let team = ''
  const procedures = new Map<string, string>()
  const secrets = new Map<string, Record<string, string>>()
  for await (const line of lines) {
    const table = readTable(line)
    const columns = SECRETS[table]
    if (table === 'team') team = line
    else if (table === 'procedure') procedures.set(readMember(line, 'id'), readMember(line, 'version'))
    // One that was removed has none.
    else if (columns && readMember(line, 'deleted_at') === 'null')
      secrets.set(
        `${table} ${readMember(line, 'id')}`,
        Object.fromEntries(columns.map(name => [name, readMember(line, name)])),
      )
  }
  return { team, procedures, secrets }
}

/** A member of a row as it stands in the line: parsed and written again, numbers might become others. */
function readMember(line: string, name: string): string {
  const { from, to } = findMember(line, name)
  return line.slice(from, to)
}

function replaceMembers(line: string, values: Record<string, string>): string {
  let replaced = line
  for (const [name, value] of Object.entries(values)) {
    const { from, to } = findMember(replaced, name)
    replaced = replaced.slice(0, from) + value + replaced.slice(to)
  }
  return replaced
}

/** The place of a value in the row of a line. */
function findMember(line: string, name: string): { from: number; to: number } {
  let at = line.indexOf('"row":{') + '"row":{'.length
  while (at < line.length) {
    const nameEnd = skipString(line, at)
    const from = nameEnd + 1
    const to = skipValue(line, from)
    if (line.slice(at + 1, nameEnd - 1) === name) return { from, to }
    at = to + 1
  }
  throw new Error(`a row of ${readTable(line)} has no ${name}`)
}

/** The place behind a text. */
function skipString(line: string, start: number): number {
  for (let at = start + 1; at < line.length; at++) {
    if (line[at] === '\\') at++
    else if (line[at] === '"') return at + 1
  }
  throw new Error(`a row of ${readTable(line)} is damaged`)
}

/** The end of a value: the comma or bracket behind it that is not within it. */
function skipValue(line: string, start: number): number {
  let depth = 0
  for (let at = start; at < line.length; ) {
    const character = line[at] ?? ''
    if (character === '"') {
      at = skipString(line, at)
      continue
    }
    if (depth === 0 && (character === ',' || character === '}')) return at
    if (character === '{' || character === '[') depth++
    if (character === '}' || character === ']') depth--
    at++
  }
  throw new Error(`a row of ${readTable(line)} is damaged`)
}
