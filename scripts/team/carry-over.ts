import { FOUND_IN_PART } from '../../src/background-job/cancelled-counts.ts'
import { readTable } from './copy.ts'

// A restore of one team brings its data back. What was decided since stays as it is now: who may act in the team, who has opted
// out of messages, whose number was erased, what the team has used, where its events and messages go no more, and which jobs
// were cancelled. These rows are imported from the copy of the living team, so a revoked key or an erased number is not back
// even for a moment.

/** Tables that stay as they are now. */
const AS_NOW = ['user', 'passkey', 'api_key', 'opt_out', 'erased_identity', 'usage_day', 'request_batch']

/** Columns that stay as they are now, in rows that are in both, by table. */
const SECRETS = {
  plugin: ['access_token', 'app_secret', 'verify_token'],
  webhook: ['secret', 'previous_secret', 'previous_secret_until'],
}
/** Where the events of a webhook go, and which. */
const DESTINATION = ['url', 'types', 'procedures']

interface CarriedOver {
  /** The lines of the backup, each time from the first one. */
  backup: () => AsyncIterable<string>
  /** Those of the team as it is now; none if it was erased. */
  now: (() => AsyncIterable<string>) | undefined
  /** When the backup was made. The team is imported suspended, and has rested since then: what ends after days of failing has not failed. */
  at: number
  /** The time now. */
  time: number
  /** Told of each webhook, plugin and job that does not come back as it was. */
  tell: (decision: string) => void
}

/** The rows to import, as lines. */
export async function* carryOver({ backup, now, at, time, tell }: CarriedOver): AsyncGenerator<string> {
  const known = now && (await readNow(now()))
  const procedures = new Set<string>()
  for await (const line of backup()) {
    const table = readTable(line)
    if (known && AS_NOW.includes(table)) continue
    // The cron removes it, maybe before the import has read it back, which would then be refused.
    if (table === 'idempotency' && Number(readMember(line, 'expires_at')) < time) continue
    if (table === 'team') {
      const limited = known ? replaceMembers(line, { rows_per_day: readMember(known.team, 'rows_per_day') }) : line
      yield suspendTeam(limited, at)
    } else if (table === 'procedure' && known) {
      const id = readMember(line, 'id')
      for (const name of [id, readMember(line, 'short_id')]) procedures.add(name)
      yield replaceMembers(line, { version: nextVersion(line, known.procedures.get(id)) })
    } else if (known && table === 'webhook') yield carryWebhook(line, known.webhooks.get(readMember(line, 'id')), tell)
    else if (known && table === 'plugin') yield carryPlugin(line, known.plugins.get(readMember(line, 'id')), tell)
    else if (known && table === 'background_job')
      yield carryJob(line, known.cancelledJobs.get(readMember(line, 'id')), tell)
    else yield line
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
  const [webhooks, plugins, cancelledJobs] = [
    new Map<string, string>(),
    new Map<string, string>(),
    new Map<string, string>(),
  ]
  const byTable: Record<string, Map<string, string>> = { webhook: webhooks, plugin: plugins }
  for await (const line of lines) {
    const table = readTable(line)
    if (table === 'team') team = line
    else if (table === 'procedure') procedures.set(readMember(line, 'id'), readMember(line, 'version'))
    else if (table === 'background_job' && isCancelled(line)) cancelledJobs.set(readMember(line, 'id'), line)
    else byTable[table]?.set(readMember(line, 'id'), line)
  }
  return { team, procedures, webhooks, plugins, cancelledJobs }
}

const isRemoved = (line: string): boolean => readMember(line, 'deleted_at') !== 'null'

const readMembers = (line: string, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map(name => [name, readMember(line, name)]))

/** A webhook sends only what it did at the backup and does now, and only there: one that was removed is back disabled. */
function carryWebhook(line: string, now: string | undefined, tell: CarriedOver['tell']): string {
  if (isRemoved(line)) return line
  const isEnabled = readMember(line, 'enabled') === '1'
  const named = `the webhook ${readText(line, 'id')} to ${readText(line, 'url')}`
  if (now === undefined || isRemoved(now)) {
    tell(`${named} was removed, and is back disabled`)
    return replaceMembers(line, { enabled: '0' })
  }
  const isDisabled = isEnabled && readMember(now, 'enabled') === '0'
  if (isDisabled) tell(`${named} stays disabled`)
  if (DESTINATION.some(name => readMember(line, name) !== readMember(now, name)))
    tell(`${named} keeps the address, the types and the procedures of now: it leads to ${readText(now, 'url')}`)
  return replaceMembers(line, {
    ...readMembers(now, [...DESTINATION, ...SECRETS.webhook]),
    ...(isDisabled ? readMembers(now, ['enabled', 'disabled_at', 'disabled_reason']) : {}),
    version: nextVersion(line, readMember(now, 'version')),
  })
}

/** One that was removed stays so, and has no secrets. */
function carryPlugin(line: string, now: string | undefined, tell: CarriedOver['tell']): string {
  if (now === undefined || isRemoved(line)) return line
  if (!isRemoved(now)) return replaceMembers(line, readMembers(now, SECRETS.plugin))
  tell(`the plugin ${readMember(line, 'name')} (${readText(line, 'id')}) stays removed`)
  return now
}

const isCancelled = (line: string): boolean =>
  readMember(line, 'completion_status') === '"CANCELLED"' && readMember(line, 'completed_at') !== '0'

/**
 * What a cancelled job had not done at the backup is cancelled, as `cancelledCounts` in `cancelled-counts.ts` does it. One that sends,
 * and has begun since, is cancelled behind the import instead: whom it wrote to in the lost time is not known any more.
 */
function carryJob(line: string, now: string | undefined, tell: CarriedOver['tell']): string {
  if (now === undefined || readMember(line, 'completed_at') !== '0' || readMember(line, 'outstanding') !== '0')
    return line
  if (readMember(line, 'queue') === '"sends"' && readMember(now, 'started_at') !== '0') return line
  tell(`the job ${readText(line, 'id')} stays cancelled`)
  const count = (name: string) => Number(readMember(line, name))
  const at = readMember(now, 'completed_at')
  return replaceMembers(line, {
    completion_status: '"CANCELLED"',
    cancelled: String(count('total') - count('invalid') - count('success') - count('error')),
    in_progress: '0',
    completed_at: at,
    updated_at: at,
    paused_by: 'null',
    paused_because: 'null',
    paused_at: 'null',
    collecting: 'null',
    collected_to: 'null',
    ...(readMember(line, 'collected_to') === 'null' ? {} : { cancelled_because: JSON.stringify(FOUND_IN_PART) }),
  })
}

const readText = (line: string, name: string): string => JSON.parse(readMember(line, name)) as string

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
