import { DAY_MS } from '../../src/time-units.ts'
import {
  copyObjects,
  copyRows,
  type Folder,
  type OperatorTeam,
  ROWS_FILE,
  type RowCounts,
  readObjects,
  sumRows,
} from './copy.ts'
import { type Operator, OperatorError } from './operator.ts'

// Backups of one team: `<team id>/<time>/` has what an export has. `backup.json` is written last; a folder without it is no
// backup, and nothing reads it.

export interface BackupContext {
  operator: Operator
  /** The folder of all backups. */
  folder: Folder
  now: () => number
  wait: (ms: number) => Promise<void>
  say: (text: string) => void
  /** Rejects as soon as somebody interrupts the command: what was done before is put back then. */
  unlessInterrupted: <Result>(act: () => Promise<Result>) => Promise<Result>
  /** What names the same installation in another command. */
  sameInstallation: string
  /** What names the same installation and folder of backups. */
  same: string
}

interface Backup {
  team: Pick<OperatorTeam, 'no' | 'id' | 'shortId' | 'name'>
  /** When it was begun. */
  at: number
  /** Whether the operator had suspended it. */
  isSuspended: boolean
  rows: RowCounts
  files: number
  bytes: number
}

/** A backup that is whole, and its folder. */
export interface StoredBackup extends Backup {
  time: string
  path: string
}

/** Notes of erasures, by which a restore erases again, are kept for 31 days: no backup may be older. */
export const BACKUP_DAYS_MAX = 30
/** Isolates trust a key for 25 seconds, and a message may be on its way to the provider for 20. */
const REST_MS = 60_000
const ATTEMPTS_MAX = 3

const MANIFEST = 'backup.json'
/** Is there until a restore of the team has ended. */
export const RESTORE_STATE_FILE = 'restore.json'
/** Says that a command has suspended the team, which then resumes it: also the next one, where it broke off. */
const RESTING = 'resting.json'
/** A suspension whose answer got lost began within so long of its attempt. */
const ATTEMPT_MS = 60_000

/** By the clock of the installation. */
interface Resting {
  /** When a command was about to suspend the team; there until it is answered. */
  triedAt?: number
  /** Since when it is suspended by a command. */
  since?: number
}

/** `2026-11-27T030000Z`: without colons, which not all disks have in names. */
const formatTime = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replaceAll(':', '')}Z`

export const loadTeam = ({ operator }: Pick<BackupContext, 'operator'>, name: string): Promise<OperatorTeam> =>
  operator.json<OperatorTeam>('GET', `/team/${encodeURIComponent(name)}`)

/** Whether the installation has answered that it does not have the team. An address without routes for the operator is another 404. */
export const isTeamNotFound = (error: unknown, name: string): boolean =>
  error instanceof OperatorError && error.status === 404 && error.message.startsWith(`team ${name} not found`)

/** All backups of a team that are whole, from the oldest to the newest. */
export function listBackups(folder: Folder, id: string): StoredBackup[] {
  return folder.list(id).flatMap(time => {
    const text = folder.readText(`${id}/${time}/${MANIFEST}`)
    return text === undefined ? [] : [{ ...(JSON.parse(text) as Backup), time, path: `${id}/${time}` }]
  })
}

/** The id of a team of which there are backups, by its id or short id. */
export function findBackedUpTeam(folder: Folder, name: string): string | undefined {
  const ids = folder.list('')
  if (ids.includes(name)) return name
  const found = ids.filter(id => listBackups(folder, id).at(-1)?.team.shortId === name)
  if (found.length > 1)
    throw new Error(
      `there are backups of ${found.length} teams named ${name}; name yours by its id: ${found.join(', ')}`,
    )
  return found[0]
}

/**
 * Makes a backup of one moment: if the team was written to meanwhile, another one. A process that has changed since its
 * log was read would lead to events that are not in the backup, and one that was read behind a new definition would not
 * have the columns that the old one names.
 */
export async function takeBackup(
  context: BackupContext,
  id: string,
  { isSuspended }: Pick<Backup, 'isSuspended'>,
): Promise<StoredBackup> {
  const { operator, folder, now, say } = context
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const { mark, no, shortId, name } = await loadTeam(context, id)
    const at = now()
    const time = findFreeTime(folder, id, at)
    const path = `${id}/${time}`
    folder.remove(path)
    const rows = await copyRows(operator, id, { folder, at: path })
    const objects = await copyObjects(operator, id, { folder, at: path })
    if ((await loadTeam(context, id)).mark !== mark) {
      folder.remove(path)
      say(`${shortId} was written to meanwhile`)
      await context.wait(1_000)
      continue
    }
    const bytes =
      ((await folder.getSize(`${path}/${ROWS_FILE}`)) ?? 0) + objects.reduce((sum, each) => sum + (each.bytes ?? 0), 0)
    const backup: Backup = { team: { no, id, shortId, name }, at, isSuspended, rows, files: objects.length, bytes }
    await folder.writeText(`${path}/${MANIFEST}`, `${JSON.stringify(backup, null, 2)}\n`)
    return { ...backup, time, path }
  }
  throw new Error(
    `it was written to during each of ${ATTEMPTS_MAX} copies, so there is no backup of one moment. Choose a quieter hour, or suspend it meanwhile: --suspend`,
  )
}

/** No backup is written over another. */
function findFreeTime(folder: Folder, id: string, at: number): string {
  const taken = new Set(listBackups(folder, id).map(({ time }) => time))
  for (let free = at; ; free += 1_000) if (!taken.has(formatTime(free))) return formatTime(free)
}

/** Whether a team is suspended, and not by a command of backups. */
export function isSuspendedByOperator(folder: Folder, { id, suspendedAt }: OperatorTeam): boolean {
  if (suspendedAt === null) return false
  const { triedAt, since } = JSON.parse(folder.readText(`${id}/${RESTING}`) ?? '{}') as Resting
  if (triedAt !== undefined) return suspendedAt < triedAt || suspendedAt > triedAt + ATTEMPT_MS
  return suspendedAt !== since
}

interface Suspended {
  since: number
  /** Until nothing of the team is under way. */
  waitMs: number
}

/** Suspends a team, unless it is already. All times are of the clock of the installation. */
export async function suspend(context: BackupContext, team: OperatorTeam): Promise<Suspended> {
  const { operator, folder } = context
  const resting = (value: Resting) => folder.writeText(`${team.id}/${RESTING}`, `${JSON.stringify(value)}\n`)
  const isByOperator = isSuspendedByOperator(folder, team)
  if (team.suspendedAt === null) await resting({ triedAt: team.now })
  const { suspendedAt: since, now } = await operator.json<{ suspendedAt: number; now: number }>(
    'POST',
    `/team/${team.id}/suspend`,
  )
  if (!isByOperator) await resting({ since })
  return { since, waitMs: since + REST_MS - now }
}

export async function rest({ say, wait }: BackupContext, { shortId }: OperatorTeam, waitMs: number): Promise<void> {
  if (waitMs <= 0) return
  say(`suspended  ${shortId}; ${Math.ceil(waitMs / 1000)} s until nothing of it is under way`)
  await wait(waitMs)
}

/** Forgets that a command has suspended the team. */
export const forgetResting = (folder: Folder, id: string): void => folder.remove(`${id}/${RESTING}`)

/** Ends what `suspend` has begun, and nothing that the operator has decided meanwhile. */
async function resume(context: BackupContext, { id, shortId }: OperatorTeam): Promise<void> {
  const { operator, folder, say, same } = context
  try {
    if (isSuspendedByOperator(folder, await loadTeam(context, id)))
      say(`${shortId} stays suspended: you have suspended it`)
    else {
      await operator.json('POST', `/team/${id}/resume`)
      say(`resumed    ${shortId}`)
    }
  } catch (error) {
    say(
      `${shortId} is still suspended: run the same command again, or another backup: npm run team -- backup ${shortId}${same}. Or, by the database: npm run team -- resume ${shortId} --installation <name>`,
    )
    throw error
  }
  forgetResting(folder, id)
}

/** Backs a team up, and removes its backups that are too old, and what was broken off. */
export async function backUp(context: BackupContext, name: string, { suspends }: { suspends: boolean }): Promise<void> {
  const { folder, now, say } = context
  const team = await loadTeam(context, name)
  if (folder.readText(`${team.id}/${RESTORE_STATE_FILE}`) !== undefined)
    throw new Error(
      `a restore of ${team.shortId} has not come to its end: npm run team -- restore ${team.shortId}${context.same}`,
    )
  if (!team.hasActors || team.erasingAt !== null)
    throw new Error(`${team.shortId} is there in part: it is being erased or imported`)
  const isSuspended = isSuspendedByOperator(folder, team)
  // An earlier command may have broken off, and have left it suspended.
  const isResting = !isSuspended && (suspends || team.suspendedAt !== null)
  const waitMs = suspends ? (await suspend(context, team)).waitMs : 0
  try {
    const backup = await context.unlessInterrupted(async () => {
      await rest(context, team, waitMs)
      return takeBackup(context, team.id, { isSuspended })
    })
    say(`backup     ${describeBackup(backup)}`)
  } finally {
    if (isResting) await resume(context, team)
  }
  const kept = new Map(listBackups(folder, team.id).map(each => [each.time, each]))
  for (const time of folder.list(team.id).filter(each => /^\d{4}-\d\d-\d\dT\d{6}Z$/.test(each))) {
    const at = kept.get(time)?.at
    const isOld = at === undefined ? time < formatTime(now() - DAY_MS) : at < now() - BACKUP_DAYS_MAX * DAY_MS
    if (isOld) folder.remove(`${team.id}/${time}`)
  }
}

const BYTES_PER_MB = 1_000_000
export const describeBackup = ({ time, team, rows, files, bytes }: StoredBackup): string =>
  `${time}  ${team.shortId}  ${sumRows(rows)} rows, ${files} files, ${(bytes / BYTES_PER_MB).toFixed(1)} MB`

/** Refuses a backup that is damaged. */
export async function requireWhole(folder: Folder, { path, rows }: StoredBackup): Promise<void> {
  const counts: RowCounts = {}
  for await (const line of folder.readLines(`${path}/${ROWS_FILE}`)) {
    const { table } = JSON.parse(line) as { table: string }
    counts[table] = (counts[table] ?? 0) + 1
  }
  const tables = new Set([...Object.keys(rows), ...Object.keys(counts)])
  for (const table of tables)
    if (rows[table] !== counts[table])
      throw new Error(
        `the backup ${path} is damaged: it has ${counts[table] ?? 0} of ${rows[table] ?? 0} rows of ${table}`,
      )
  for (const { file, bytes } of readObjects(folder, path))
    if ((await folder.getSize(`${path}/${file}`)) !== bytes)
      throw new Error(`the backup ${path} is damaged: ${file} is not whole`)
}
