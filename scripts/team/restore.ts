import { DAY_MS } from '../../src/time-units.ts'
import {
  BACKUP_DAYS_MAX,
  type BackupContext,
  describeBackup,
  findBackedUpTeam,
  forgetResting,
  isSuspendedByOperator,
  isTeamNotFound,
  listBackups,
  loadTeam,
  RESTORE_STATE_FILE,
  requireWhole,
  rest,
  type StoredBackup,
  suspend,
  takeBackup,
} from './backup.ts'
import { carryOver } from './carry-over.ts'
import {
  type CopyToImport,
  cancelSends,
  countLine,
  eraseCopied,
  importCopy,
  type OperatorTeam,
  ROWS_FILE,
  type RowCounts,
  sumRows,
  tryImport,
} from './copy.ts'
import { OperatorError } from './operator.ts'

// One team goes back to a backup, in place, while all others live on. Each step can be done again: the next one is written in
// `restore.json`, so a command that broke off is run again. The team is backed up once, before anything of it is erased: what is
// left of a team that is half erased never replaces that backup.

interface RestoreContext extends BackupContext {
  /** Throws where nobody agrees. */
  confirm: (name: string, what: string) => Promise<void>
}

type Step = 'suspend' | 'back up' | 'check' | 'erase' | 'import' | 'cancel' | 'erase again' | 'resume' | 'end'

interface RestoreState {
  team: Pick<OperatorTeam, 'no' | 'id' | 'shortId'>
  step: Step
  /** The time of the backup. */
  backup: string
  /** The time of the backup of the team as it was before the restore; null if it was erased. */
  safetyBackup: string | null
  /** Whether the operator had suspended it. */
  wasSuspended: boolean
  /** Since when it is suspended by this restore: another suspension is the operator's. */
  since: number | null
  /** What is imported, by table. */
  rows: RowCounts
  /** What does not come back as it was, because of what was decided since. */
  decided?: string[]
  /** Why the backup was refused: then the safety backup is put back. */
  refusal: string | null
}

/** So many decisions are told. */
const DECISIONS_SHOWN = 50
const RESTORED_FILE = 'restored.ndjson'
/** While the cron has customers left to erase. */
const ASK_MS = 5_000
const CRON_MS_MAX = 10 * 60_000

/** An answer by which the same rows are refused whenever they are sent. */
const isRefused = (error: unknown): error is OperatorError =>
  error instanceof OperatorError && [400, 409, 413].includes(error.status)

interface RestoreOptions {
  /** The time of the backup; none: the restore that has begun goes on. */
  time?: string | undefined
  /** Ends a restore without the erasures that cannot be made again. */
  givesUpErasures?: boolean
}

export async function restoreTeam(
  context: RestoreContext,
  name: string,
  { time, givesUpErasures = false }: RestoreOptions,
): Promise<void> {
  const { folder, say } = context
  const id = findBackedUpTeam(folder, name)
  if (id === undefined) throw new Error(`there is no backup of ${name}: --backups names the folder that has them`)
  const stateFile = `${id}/${RESTORE_STATE_FILE}`
  const stored = folder.readText(stateFile)
  const unfinished = stored === undefined ? undefined : (JSON.parse(stored) as RestoreState)
  if (givesUpErasures && unfinished?.step !== 'erase again')
    throw new Error(`there is no restore of ${name} that waits for erasures`)
  let state = unfinished ? continueRestore(context, unfinished, time) : await beginRestore(context, id, time)
  if (givesUpErasures) state = await giveUpErasures(context, state)
  const { shortId } = state.team
  try {
    while (state.step !== 'end') {
      await folder.writeText(stateFile, `${JSON.stringify(state, null, 2)}\n`)
      const { step } = state
      state = await context.unlessInterrupted(() => STEPS[step](context, state))
    }
  } catch (error) {
    say(
      `\nThe restore of ${shortId} broke off at the step "${state.step}". ${describeStateAfterFailure(state)} Run the same command again.`,
    )
    throw error
  }
  folder.remove(stateFile)
  folder.remove(`${id}/${RESTORED_FILE}`)
  forgetResting(folder, id)
  const hint =
    state.safetyBackup === null
      ? ''
      : `\nAs it was before, it is in the backup ${state.safetyBackup}: npm run team -- restore ${shortId} --backup ${state.safetyBackup}${context.same}`
  if (state.refusal === null) {
    say(`restored   ${shortId} to ${state.backup}, with ${sumRows(state.rows)} rows${hint}`)
    tellDecided(context, state)
  } else throw new Error(`${state.refusal}\n${shortId} is as it was before`)
}

function tellDecided({ say }: RestoreContext, { decided = [] }: RestoreState): void {
  if (decided.length === 0) return
  const left = decided.length - DECISIONS_SHOWN
  const lines = [...decided.slice(0, DECISIONS_SHOWN), ...(left > 0 ? [`and ${left} more`] : [])]
  say(`As decided since the backup:\n${lines.map(line => `  ${line}`).join('\n')}`)
}

/** Describes the team after a restore that broke off. */
function describeStateAfterFailure({ step, safetyBackup }: RestoreState): string {
  const isKept = safetyBackup === null ? '' : '; what it had is kept'
  const left: Partial<Record<Step, string>> = {
    suspend: 'Nothing was changed but that it may be suspended.',
    'back up': 'It is suspended, and nothing else was changed.',
    check: safetyBackup === null ? 'Nothing was changed.' : 'It is suspended, and nothing else was changed.',
    erase: `It is suspended, and being erased${isKept}.`,
    import: `It is suspended, and there in part${isKept}.`,
    cancel: 'It is back, and suspended.',
    'erase again': 'It is back, and suspended.',
    resume: 'It is back, and may be suspended.',
  }
  return left[step] ?? ''
}

/** Notes of erasures are not kept for longer: customers who were erased since the backup would be back. */
const isTooOld = ({ now }: BackupContext, { at }: StoredBackup): boolean => at < now() - BACKUP_DAYS_MAX * DAY_MS
const explainTooOld = (time: string): string =>
  `${time} is more than ${BACKUP_DAYS_MAX} days ago: customers who were erased since would be back, because nothing remembers them any more`

/** Asks, and says what will be done. */
async function beginRestore(context: RestoreContext, id: string, time: string | undefined): Promise<RestoreState> {
  const { folder } = context
  const found = listBackups(folder, id)
  const backup = found.find(each => each.time === time)
  if (!backup)
    throw new Error(
      `${time === undefined ? '--backup is missing' : `there is no whole backup ${time}`}; there are:\n${found.map(describeBackup).join('\n')}`,
    )
  if (isTooOld(context, backup)) throw new Error(explainTooOld(backup.time))
  await requireWhole(folder, backup)
  const team = await loadTeam(context, id).catch((error: unknown) => {
    if (isTeamNotFound(error, id)) return undefined
    throw error
  })
  if (team && (!team.hasActors || team.erasingAt !== null))
    throw new Error(`${team.shortId} is there in part: it is being erased or imported. End that first`)
  const { shortId } = backup.team
  await context.confirm(
    shortId,
    team
      ? `${team.name} (${shortId}) goes back to ${time}. It is suspended meanwhile; what it has written since is undone, and stays in a backup of its own. No other team is touched.`
      : `${shortId}, which was erased, comes back as it was at ${time}.`,
  )
  return {
    team: backup.team,
    step: team ? 'suspend' : 'check',
    backup: backup.time,
    safetyBackup: null,
    wasSuspended: !team && backup.isSuspended,
    since: null,
    rows: {},
    refusal: null,
  }
}

/** What was imported in part may have changed by itself since: it is erased, and imported from the beginning. */
function continueRestore(context: RestoreContext, state: RestoreState, time: string | undefined): RestoreState {
  const { team, backup, step } = state
  if (time !== undefined && time !== backup)
    throw new Error(`a restore of ${team.shortId} to ${backup} has not come to its end: run it again before another`)
  context.say(`goes on    with the restore of ${team.shortId} to ${backup}, which broke off at the step "${step}"`)
  if (step !== 'erase' && step !== 'import') return state
  // What stood in the way of the backup may be gone.
  const isOutdated = isTooOld(context, requireBackup(context, state, backup))
  return { ...state, step: 'erase', refusal: isOutdated ? explainTooOld(backup) : null }
}

async function giveUpErasures(context: RestoreContext, state: RestoreState): Promise<RestoreState> {
  const { shortId } = state.team
  await context.confirm(
    shortId,
    `The restore of ${shortId} ends without the erasures that cannot be made again: these customers and processes are there until the team erases them by the API.`,
  )
  return { ...state, step: 'resume' }
}

const requireBackup = ({ folder }: RestoreContext, { team }: RestoreState, time: string): StoredBackup => {
  const found = listBackups(folder, team.id).find(each => each.time === time)
  if (!found) throw new Error(`the backup ${time} of ${team.shortId} is not there any more`)
  return found
}

/** What is to be imported: the backup with what is as it is now, or the safety backup. */
const getCopy = ({ folder }: RestoreContext, { team, backup, safetyBackup, refusal }: RestoreState): CopyToImport =>
  refusal === null
    ? { folder, team, rowsFile: `${team.id}/${RESTORED_FILE}`, at: `${team.id}/${backup}` }
    : { folder, team, rowsFile: `${team.id}/${safetyBackup}/${ROWS_FILE}`, at: `${team.id}/${safetyBackup}` }

const STEPS: Record<Exclude<Step, 'end'>, (context: RestoreContext, state: RestoreState) => Promise<RestoreState>> = {
  async suspend(context, state) {
    const team = await loadTeam(context, state.team.id)
    const wasSuspended = isSuspendedByOperator(context.folder, team)
    const { since, waitMs } = await suspend(context, team)
    await rest(context, team, waitMs)
    return { ...state, wasSuspended, since, step: 'back up' }
  },

  async 'back up'(context, state) {
    const backup = await takeBackup(context, state.team.id, { isSuspended: state.wasSuspended })
    context.say(`kept       ${describeBackup(backup)}`)
    return { ...state, safetyBackup: backup.time, step: 'check' }
  },

  /** Nothing is erased before it is known that the rows can be imported. */
  async check(context, state) {
    const { folder, operator } = context
    const backup = requireBackup(context, state, state.backup)
    const rows: RowCounts = {}
    const decided: string[] = []
    const { safetyBackup } = state
    const refuse = (refusal: string): RestoreState => ({
      ...state,
      refusal,
      step: safetyBackup === null ? 'end' : 'resume',
    })
    if (isTooOld(context, backup)) return refuse(explainTooOld(backup.time))
    const carried = carryOver({
      backup: () => folder.readLines(`${backup.path}/${ROWS_FILE}`),
      now: safetyBackup === null ? undefined : () => folder.readLines(`${state.team.id}/${safetyBackup}/${ROWS_FILE}`),
      at: backup.at,
      time: context.now(),
      tell: decision => void decided.push(decision),
    })
    async function* count(): AsyncGenerator<string> {
      for await (const line of carried) {
        countLine(rows, line)
        yield `${line}\n`
      }
    }
    await folder.writeLines(`${state.team.id}/${RESTORED_FILE}`, count())
    try {
      await tryImport(operator, getCopy(context, state), safetyBackup === null ? 'true' : 'replacing')
    } catch (error) {
      if (!isRefused(error)) throw error
      return refuse(error.message)
    }
    // The import takes the team's row back: whether the operator has suspended it meanwhile is not known afterwards.
    const isSuspendedMeanwhile =
      safetyBackup !== null && (await loadTeam(context, state.team.id)).suspendedAt !== state.since
    return { ...state, rows, decided, wasSuspended: state.wasSuspended || isSuspendedMeanwhile, step: 'erase' }
  },

  async erase(context, state) {
    const { operator, say, wait } = context
    const { id } = state.team
    try {
      const rows = await eraseCopied(operator, id, { say, wait })
      say(`erased     ${rows} rows`)
    } catch (error) {
      if (!isTeamNotFound(error, id)) throw error
    }
    // It was erased before, so there is no safety backup: what was imported in part is gone again.
    if (state.safetyBackup === null && state.refusal !== null) return { ...state, step: 'end' }
    return { ...state, step: 'import' }
  },

  async import(context, state) {
    const { operator, say } = context
    const counts =
      state.refusal === null || state.safetyBackup === null
        ? state.rows
        : requireBackup(context, state, state.safetyBackup).rows
    try {
      const { rows, objects } = await importCopy(operator, getCopy(context, state))
      if (rows !== sumRows(counts)) throw new Error(`${rows} of ${sumRows(counts)} rows were imported`)
      say(`imported   ${rows} rows and ${objects} files, and each was read back:`)
      for (const [table, count] of Object.entries(counts)) say(`           ${table} ${count}`)
    } catch (error) {
      if (!isRefused(error)) throw error
      if (state.refusal !== null)
        throw new Error(
          `${error.message}\nWhat ${state.team.shortId} had cannot be put back; it is in the backup ${state.safetyBackup}${await describeTaker(context, state)}`,
        )
      say(`refused    ${error.message}\nWhat ${state.team.shortId} had is put back`)
      return { ...state, refusal: error.message, step: 'erase' }
    }
    return { ...state, step: state.refusal === null ? 'cancel' : 'resume' }
  },

  /** Once: jobs of a team that works again are not touched. */
  async cancel(context, state) {
    const { id, shortId } = state.team
    const { suspendedAt } = await loadTeam(context, id)
    if (suspendedAt === null) context.say(`${shortId} was resumed: its jobs that send have gone on`)
    else await cancelSends(context, id)
    return { ...state, since: suspendedAt, step: 'erase again' }
  },

  async 'erase again'(context, state) {
    if (isTooOld(context, requireBackup(context, state, state.backup)))
      throw new Error(
        `${explainTooOld(state.backup)}. To end the restore all the same, run the same command with --give-up-erasures`,
      )
    await eraseAgain(context, state)
    return { ...state, step: 'resume' }
  },

  async resume(context, state) {
    const { team, wasSuspended, since } = state
    const { suspendedAt } = await loadTeam(context, team.id)
    if (wasSuspended) context.say(`${team.shortId} stays suspended, as it was before`)
    else if (suspendedAt !== null && suspendedAt !== since)
      context.say(`${team.shortId} stays suspended: you have suspended it meanwhile`)
    else await context.operator.json('POST', `/team/${team.id}/resume`)
    return { ...state, step: 'end' }
  },
}

/** While a team is erased, its short id is free: a team that was made meanwhile may have it. */
async function describeTaker(
  context: RestoreContext,
  { team: { id, shortId }, backup }: RestoreState,
): Promise<string> {
  const other = await loadTeam(context, shortId).catch(() => undefined)
  if (other === undefined || other.id === id) return ''
  return `\nThe short id ${shortId} is that of the team ${other.id} now, which was made meanwhile. It is erased, with all that it has, by:\n  npm run team -- erase ${other.id}${context.sameInstallation}\nThen this goes on to ${backup}:\n  npm run team -- restore ${id}${context.same}`
}

interface ErasedPart {
  erasedAgain: number
  left: number
  failed: { what: string; id: string; cause: string }[]
  unreadable: string[]
  next: string | null
}

/** Erases again who was erased, until a pass over all notes has found nobody. */
async function eraseAgain({ operator, say, wait, now }: RestoreContext, { team }: RestoreState): Promise<void> {
  const ask = (after: string | null) =>
    operator.json<ErasedPart>(
      'POST',
      `/team/${team.id}/erase-again${after === null ? '' : `?after=${encodeURIComponent(after)}`}`,
    )
  let before = Number.POSITIVE_INFINITY
  for (let until = now() + CRON_MS_MAX; ; ) {
    let [erased, left] = [0, 0]
    const failed: ErasedPart['failed'] = []
    const unreadable = new Set<string>()
    for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
      const part: ErasedPart = await ask(after)
      erased += part.erasedAgain
      left = part.left
      failed.push(...part.failed)
      for (const key of part.unreadable) unreadable.add(key)
      after = part.next === after && part.erasedAgain === 0 ? null : part.next
    }
    if (erased > 0) say(`erased     again: ${erased} customers and processes`)
    if (erased === 0 && failed.length > 0) {
      const named = failed.map(({ what, id, cause }) => `  ${what} ${id}: ${cause}`)
      throw new Error(
        `${failed.length} erasures could not be made again, so ${team.shortId} stays suspended:\n${named.join('\n')}\nTo end the restore without them, and have the team erase them by the API, run the same command with --give-up-erasures`,
      )
    }
    if (erased === 0 && left === 0) {
      for (const key of unreadable)
        say(`warning    the note ${key} of an erasure cannot be read; it may be of another team`)
      return
    }
    if (left < before || erased > 0) until = now() + CRON_MS_MAX
    else if (now() > until)
      throw new Error(
        `the cron has not erased ${left} customers of ${team.shortId} in ten minutes: see its logs. To end the restore, and have it go on by itself, run the same command with --give-up-erasures`,
      )
    before = left
    if (erased === 0) await wait(ASK_MS)
  }
}
