import { nameAsHeading } from '../../refusal-text.ts'
import { ACTION_WORDS } from '../action-words.ts'
import {
  CaseworkerError,
  type Plan,
  type PlannedAction,
  type PlannedChange,
  type PlannedEntry,
  type PlanSummary,
} from '../client.ts'
import {
  type Command,
  EXIT,
  type ExitCode,
  type ParsedArguments,
  RefusedError,
  type Session,
} from './command/command.ts'
import { getOption, hasFlag } from './command/options.ts'
import { FAILED_TO_OPTION, getFailedRowsFile, JOB } from './job-options.ts'
import { createProgressReporter } from './output/progress.ts'
import { formatCell, isTimeField, truncate } from './output/rows.ts'
import { confirm, formatCount, formatNumber, printError } from './output/terminal.ts'
import { YES_OPTION } from './process-options.ts'
import { loadUserNames, type NameUsers } from './user-names.ts'
import { followJob, formatFailures } from './watch.ts'

export const applyCommand: Command = {
  name: 'apply',
  group: 'Jobs',
  summary: 'Make the changes of a dry run, as a new job, after showing them',
  details:
    'Shows how many processes would change, the first changes, and why entries would fail; then it asks. What somebody has changed since the dry run stays as it is, and is listed.',
  arguments: [JOB],
  options: {
    ...YES_OPTION,
    ...FAILED_TO_OPTION,
    detach: { summary: 'print the id of the new job and do not wait' },
  },
  examples: ['apply 01a20220-abf5-79f6-85f4-01e9682e120b'],
  run: {
    async remote(session, args) {
      const [id = ''] = args.words
      await getFailedRowsFile(args)
      const { appliedBy } = await session.client.jobs.get(id, { signal: session.signal })
      if (appliedBy !== undefined)
        throw new RefusedError(`background job ${id} was applied already, by background job ${appliedBy}`)
      return applyAfterAsking(session, args, await watchPlan(session, id))
    },
  },
}

/** Follows a dry run to its end. */
export async function watchPlan({ client, signal }: Session, id: string): Promise<Plan> {
  const progress = createProgressReporter(printError, process.stderr.isTTY)
  return client.jobs.plan(id, { onProgress: progress.show, signal }).finally(progress.end)
}

/** Shows a plan, asks, and follows the job that makes its changes. */
export async function applyAfterAsking(
  session: Session,
  args: ParsedArguments,
  plan: Plan,
): Promise<ExitCode | undefined> {
  const outlook = await showPlans(session, [plan])
  if (outlook.changing === 0) return outlook.failing === 0 ? undefined : EXIT.failed
  await confirmPlans(session, args, [plan], outlook)
  const key = getOption(args, 'idempotency-key')
  const { id } = await plan.apply({ signal: session.signal, idempotencyKey: key && `${key}-apply` })
  return followJob(session, args, id)
}

/** The number of entries that would change something, and of those that would fail. */
interface Outlook {
  changing: number
  failing: number
  /** What has its values already was not read, and counts to those that would change something. */
  isAtMost?: boolean
}

/** A larger dry run is not read whole to be counted. */
const ENTRIES_COUNTED_MAX = 100_000

/**
 * Prints what plans come to together. More than one there is only of a file that no single job takes, whose columns are
 * called as its headings are.
 */
export async function showPlans(
  { client, signal }: Session,
  plans: readonly Plan[],
  columns: readonly { name: string; target: string }[] = [],
): Promise<Outlook> {
  const cancelled = plans.find(({ job }) => job.completionStatus === 'CANCELLED')
  if (cancelled) {
    printError(`The dry run cannot be applied. ${cancelled.job.statusMessage}\n`)
    return { changing: 0, failing: cancelled.job.total }
  }
  const sum = (count: (plan: Plan) => number): number => plans.reduce((all, plan) => all + count(plan), 0)
  const total = sum(({ job }) => job.total)
  const failing = sum(({ counts }) => counts.ERROR + counts.INVALID)
  const isCounted = total <= ENTRIES_COUNTED_MAX * plans.length
  const summaries = isCounted ? await Promise.all(plans.map(plan => plan.summarize({ signal }))) : []
  const successes = sum(({ counts }) => counts.SUCCESS)
  const changing = successes - summaries.reduce((all, { same, none }) => all + same + none, 0)
  const said = isCounted
    ? formatSummary(summaries)
    : `${formatNumber(successes)} would succeed, ${formatNumber(failing)} would fail`
  const outcome = total === 0 ? '' : `: ${said}`
  printError(`Dry run of ${formatCount(total, 'entry', 'entries')}${outcome}. Nothing has been changed.\n`)
  const sample = plans.flatMap(plan => plan.sample).slice(0, SAMPLE_PRINTED)
  const values = sample.flatMap(({ changes }) => changes.flatMap(({ from, to }) => [from, to]))
  const nameUsers = await loadUserNames({ client, signal }, values)
  const nameStates = await loadStateNames({ client, signal }, plans[0]?.job.procedure ?? null, sample)
  for (const entry of sample) printError(`  ${formatPlannedEntry(nameIn(entry, { nameUsers, nameStates }))}\n`)
  const more = changing - sample.length
  if (more > 0 && sample.length > 0) printError(`  and ${isCounted ? '' : 'at most '}${formatNumber(more)} more\n`)
  const reasons = plans.flatMap(plan => plan.failures.flatMap(group => group.reasons))
  for (const { message, ...reason } of reasons.slice(0, REASONS_PRINTED))
    printError(`  ${formatFailures({ ...reason, message: nameAsHeading(message, columns) })}\n`)
  if (changing === 0) printError('There is nothing to apply.\n')
  return { changing, failing, isAtMost: !isCounted }
}

type NameValue = (value: unknown) => unknown

/** What the states are called in which processes would be; their short ids, if the caller may not read the procedure. */
async function loadStateNames(
  { client, signal }: Pick<Session, 'client' | 'signal'>,
  procedure: string | null,
  sample: readonly PlannedEntry[],
): Promise<NameValue> {
  if (procedure === null || !sample.some(({ changes }) => changes.some(({ field }) => field === 'state')))
    return value => value
  const states = await client.procedures.get(procedure, { signal }).then(
    found => found.states,
    (error: unknown) => {
      if (error instanceof CaseworkerError && error.is('permission_denied')) return []
      throw error
    },
  )
  const names = new Map<unknown, string>(states.map(({ shortId, name }) => [shortId, name]))
  return value => names.get(value) ?? value
}

function nameIn(
  entry: PlannedEntry,
  { nameUsers, nameStates }: { nameUsers: NameUsers; nameStates: NameValue },
): PlannedEntry {
  const changes = entry.changes.map(change => {
    const name = change.field === 'state' ? nameStates : nameUsers
    return { ...change, from: name(change.from), to: name(change.to) }
  })
  return { ...entry, changes }
}

const KEPT = 'What somebody has changed since stays as it is.'

/** A dry run that is not applied stays, and can be applied later. */
export async function confirmPlans(
  { signal }: Session,
  args: ParsedArguments,
  plans: readonly Plan[],
  { changing, failing, isAtMost = false }: Outlook,
): Promise<void> {
  const rest = failing === 0 ? '' : `, without the ${formatNumber(failing)} that would fail`
  const applied = `${isAtMost ? 'At most ' : ''}${formatCount(changing, 'entry', 'entries')}`
  try {
    await confirm(`${applied} will be applied${rest}. ${KEPT} Continue?`, hasFlag(args, 'yes'), signal)
  } catch (error) {
    printError(`to apply it later: ${plans.map(({ id }) => `caseworker apply ${id}`).join('; ')}\n`)
    throw error
  }
}

const SAMPLE_PRINTED = 10
const REASONS_PRINTED = 20
const FIELDS_PRINTED = 6
const VALUE_CHARACTERS_MAX = 60

/** "1 would be created, 2 changed; 1 would fail". */
export function formatSummary(summaries: readonly PlanSummary[]): string {
  const count = (action: PlannedAction | 'fail'): number => summaries.reduce((all, summary) => all + summary[action], 0)
  const actions = Object.entries(ACTION_WORDS).filter(([action]) => count(action as PlannedAction) > 0)
  const done = actions.map(
    ([action, words], at) => `${formatNumber(count(action as PlannedAction))} ${at === 0 ? 'would be ' : ''}${words}`,
  )
  return [done.join(', '), count('fail') === 0 ? '' : `${formatNumber(count('fail'))} would fail`]
    .filter(each => each !== '')
    .join('; ')
}

const SIGNS = { create: '+', update: '~', same: '=', delete: '-', restore: '+', send: '>', none: ' ' } as const

/** Formats an entry as a line: `~ LEAD-901: score 81 → 82, city "Oslo" → "Bergen"`. */
export function formatPlannedEntry({ action, primaryKey, process, index, changes, more }: PlannedEntry): string {
  const name = shorten(primaryKey ?? process ?? `index ${index}`)
  const sign = SIGNS[action ?? 'none']
  if (action === 'send') {
    const [recipient, text] = ['recipient', 'text'].map(field => changes.find(each => each.field === field)?.to)
    return `${sign} ${name}, ${String(recipient)}: ${shorten(String(text ?? ''))}`
  }
  if (action === 'delete') return `${sign} ${name}`
  const changed = changes.filter(({ field }) => field !== 'isDeleted')
  const said = changed.slice(0, FIELDS_PRINTED).map(change => formatChange(change, action === 'create'))
  const left = changed.length + more - said.length
  return `${sign} ${name}${said.length === 0 ? '' : `: ${said.join(', ')}`}${left > 0 ? ` and ${left} more` : ''}`
}

function formatChange({ field, from, to }: PlannedChange, isNew: boolean): string {
  const name = field.replace(/^data\./, '')
  const isTime = isTimeField(field)
  return isNew
    ? `${name} ${formatValue(to, isTime)}`
    : `${name} ${formatValue(from, isTime)} → ${formatValue(to, isTime)}`
}

const formatValue = (value: unknown, isTime: boolean): string => {
  if (value === null || value === undefined || value === '') return 'none'
  return shorten(typeof value === 'string' ? JSON.stringify(value) : formatCell(value, isTime))
}

const shorten = (text: string): string => truncate(text, VALUE_CHARACTERS_MAX)
