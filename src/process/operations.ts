import type { IdentityMatch } from '../customer-record/identity-statements.ts'
import { planNewRecord, planRecords } from '../customer-record/plan.ts'
import { guard, guardChanges, isGuardFailure } from '../db/guard.ts'
import type { Statement } from '../db/statement.ts'
import { StorageFullError } from '../db/storage-error.ts'
import { write } from '../db/write.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { newId, toRowNo } from '../ids.ts'
import { guardDefinition } from '../procedure/definition-guard.ts'
import type { Procedure } from '../procedure/model.ts'
import { checkStored, checkValue } from '../procedure/values.ts'
import type { Scope } from '../scope.ts'
import { PROCESS_CHANGED, ProcessChanged, toRefusal, writeWithRetry } from './conflict.ts'
import { identifiesNobody, toRequestedRecord, toRequestedRecordOfNew } from './customer.ts'
import { type ScheduleTimes, scheduleDueTimes } from './due/schedule.ts'
import { finishErasure } from './erasure/finish.ts'
import { guardNotBeingErased, isBeingErased } from './erasure/statements.ts'
import { toStatusNumber } from './fields.ts'
import { findMissingKeyFaults, requirePrimaryKey } from './refusals.ts'
import type { ProcessRow } from './row.ts'
import { insertNewEvents } from './rows/append-events.ts'
import { deriveInsert, type InsertForm, insertProcess, type NewProcess, toNewRow } from './rows/insert.ts'
import { buildNewProcess } from './rows/new-process.ts'
import { selectStoredOutcome } from './rows/outcome.ts'
import { formatTarget, type Tag, type Target, whereTagNow, whereTarget } from './rows/target.ts'
import { deleteOutright, trashProcess } from './rows/trash.ts'
import { deriveUpdate, insertEventBeforeUpdate, type Update, updateProcessRow, whereUpdated } from './rows/update.ts'
import { type Change, findNewFaults, listReopenedStates, toTransitionError } from './rules.ts'
import type { CreateProcess, UpdateProcess } from './schema.ts'
import { findProcess, findProcessToJudge, readFirstRow } from './store.ts'
import { validateChange } from './validate.ts'

export async function getProcess(scope: Scope, procedure: Procedure, target: Target): Promise<ProcessRow> {
  const row = await findProcess(scope, procedure, target)
  if (!row) throw notFound(formatTarget(target))
  return row
}

interface UpdateRequest {
  target: Target
  body: UpdateProcess
  ifTag?: Tag | undefined
  /** Whether the update may go against the allowed transitions. */
  isForced?: boolean
  /** Whether the values are those of an earlier version. */
  isRevert?: boolean
}

export async function updateProcess(
  scope: Scope,
  procedure: Procedure,
  { target, body, ifTag, isForced = false, isRevert = false }: UpdateRequest,
  scheduleTimes: ScheduleTimes,
): Promise<ProcessRow> {
  const validated = await validateChange(scope, procedure, body, undefined, isRevert ? checkStored : checkValue)
  const change: Change = isForced ? { ...validated, forced: true } : validated
  // After its key is removed, only the id finds the process: the idempotency record needs it.
  const lasting =
    'rid' in target || change.primaryKey !== null ? target : toRowTarget(await getProcess(scope, procedure, target))
  const update = { target: lasting, change, ifTag }
  return writeWithRetry(() => writeUpdateFor(scope, procedure, update, body.record, scheduleTimes))
}

/** Writes an update that may also give the process another customer. */
async function writeUpdateFor(
  scope: Scope,
  procedure: Procedure,
  { change, ...update }: Update,
  sent: UpdateProcess['record'],
  scheduleTimes: ScheduleTimes,
): Promise<ProcessRow> {
  if (sent === undefined) return writeUpdate(scope, procedure, { ...update, change }, scheduleTimes)
  if (sent === null)
    return writeUpdate(scope, procedure, { ...update, change: { ...change, record: null } }, scheduleTimes)
  const own = identifiesNobody(sent) ? await findProcessToJudge(scope, procedure, update.target) : undefined
  const wanted = toRequestedRecord(sent, own?.record ? toRowNo(own.record.id) : null)
  const { rids, effect } = await planRecords(scope, [wanted])
  return writeUpdate(
    scope,
    procedure,
    { ...update, change: { ...change, record: rids[0] ?? null } },
    scheduleTimes,
    effect,
  )
}

const toRowTarget = ({ rid, id }: ProcessRow): Target => ({ rid, id })

/**
 * Reads nothing first: the UPDATE contains the rules, and only if it changed nothing is the process read for the reason.
 * The statements `records` take effect together with the update, or not at all.
 */
async function writeUpdate(
  scope: Scope,
  procedure: Procedure,
  update: Update,
  scheduleTimes: ScheduleTimes,
  records: readonly Statement[] = [],
): Promise<ProcessRow> {
  const { target, change, ifTag } = update
  // A change of the customer changes the tag as well, so the caller's tag is compared before it.
  const isTagged = ifTag !== undefined && records.length > 0
  const tagged = isTagged ? [guard(PROCESS_CHANGED, whereTagNow(procedure, target, ifTag))] : []
  const untagged = isTagged ? { target, change } : update
  const written = 'rid' in target ? target : { primaryKey: change.primaryKey ?? target.primaryKey }
  const derived = deriveUpdate(procedure, untagged, written, scope.now)
  // The change may reopen the process. Whether it does, the statement decides.
  const timed =
    listReopenedStates(procedure, change).length > 0 ? { ...change, status: toStatusNumber('OPEN') } : change
  const due = await scheduleDueTimes(scope, procedure, scheduleTimes, [timed], () =>
    whereUpdated(procedure, written, scope.now),
  )
  const leaving =
    change.record === undefined ? [] : [guardNotBeingErased(whereTarget({ proc: procedure.no, ...target }))]
  const results = await write(scope, {
    guards: leaving,
    effect: [
      ...tagged,
      ...records,
      insertEventBeforeUpdate(scope, procedure, untagged),
      updateProcessRow(scope, procedure, untagged),
      ...(records.length > 0 ? [guardChanges(PROCESS_CHANGED, 1)] : []),
    ],
    derived: { ...derived, after: [...derived.after, ...due] },
    outcome: { select: () => selectStoredOutcome(procedure, written) },
    mayChangeNothing: true,
  }).catch(async (error: unknown) => {
    if (isGuardFailure(error, PROCESS_CHANGED)) return []
    if (isBeingErased(error)) {
      await finishErasure(scope, procedure, whereTarget({ proc: procedure.no, ...target }))
      throw new ProcessChanged()
    }
    throw await toRefusal(error, { scope, procedure, primaryKey: change.primaryKey })
  })
  const row = readFirstRow(results)
  if (row) return row
  const current = await findProcessToJudge(scope, procedure, target)
  if (!current) throw notFound(formatTarget(target))
  if (ifTag) requireTag(current, ifTag)
  throw toTransitionError(procedure, current, change) ?? new ProcessChanged()
}

export function requireTag({ version, record }: ProcessRow, ifTag: Tag): void {
  if (version === ifTag.version && (record?.version ?? 0) === ifTag.record) return
  throw new AppError('precondition_failed', [{ message: 'the process has changed since', path: '/header/if-match' }])
}

export async function createProcess(
  scope: Scope,
  procedure: Procedure,
  body: CreateProcess,
  scheduleTimes: ScheduleTimes,
): Promise<ProcessRow> {
  const change = await validateChange(scope, procedure, body, findNewFaults)
  return writeWithRetry(() => writeNew(scope, procedure, { change, record: body.record }, scheduleTimes))
}

async function writeNew(
  scope: Scope,
  procedure: Procedure,
  { change, record }: { change: Change; record: CreateProcess['record'] },
  scheduleTimes: ScheduleTimes,
): Promise<ProcessRow> {
  const sent = toRequestedRecordOfNew(procedure, change, record)
  const id = newId(scope.now)
  const planned = (rid: number | null) => buildNewProcess(procedure, change, { id, record: rid, ...scope })
  const due = await scheduleDueTimes(scope, procedure, scheduleTimes, [planned(null)], () =>
    whereTarget({ proc: procedure.no, rid: toRowNo(id), id }),
  )
  if (sent === null) {
    const process = planned(null)
    await writeProcess(scope, procedure, { process, due }, [], {})
    return toNewRow(process, null, scope.now)
  }
  const plan = sent.id === undefined ? planNewRecord(scope, sent.data) : null
  let found: IdentityMatch[] | undefined
  if (plan) {
    const process = planned(plan.record.rid)
    const effect = [plan.lookup, ...plan.effect] as const
    const results = await writeProcess(scope, procedure, { process, due }, effect, { ifChanged: true })
    if (results.at(-1)?.changes === 1) return toNewRow(process, plan.record, scope.now)
    const [lookup] = results
    // A customer has these identities already, so the plan has changed nothing.
    found = lookup.rows
  }
  const { rids, effect } = await planRecords(scope, [sent], { known: found })
  const process = planned(rids[0] ?? null)
  const row = readFirstRow(await writeProcess(scope, procedure, { process, due }, effect, { returned: true }))
  if (!row) throw new Error('a new process came back empty')
  return row
}

/** Inserts a process after its records. `due` runs after it, in the same transaction. */
const writeProcess = <const Records extends readonly Statement[]>(
  scope: Scope,
  procedure: Procedure,
  { process, due }: { process: NewProcess; due: readonly Statement[] },
  records: Records,
  form: InsertForm,
) => {
  const derived = deriveInsert(procedure, process)
  return write(scope, {
    effect: [
      ...records,
      insertProcess(scope, procedure, process, form),
      insertNewEvents(scope, procedure, {
        type: 'process.created',
        after: [{ rid: process.rid, id: process.id }],
        ifChanged: form.ifChanged === true,
      }),
    ],
    derived: { ...derived, after: [...derived.after, ...due] },
    outcome: { select: () => selectStoredOutcome(procedure, process) },
    mayChangeNothing: form.ifChanged === true,
  }).catch(async (error: unknown) => {
    throw await toRefusal(error, { scope, procedure, primaryKey: process.primaryKey })
  })
}

/** Creates a process, or updates the one that has the primary key in `data`. Of several calls at once, the first one creates. */
export async function upsertProcess(
  scope: Scope,
  procedure: Procedure,
  body: CreateProcess,
  scheduleTimes: ScheduleTimes,
): Promise<ProcessRow> {
  const key = requirePrimaryKey(procedure, '/body/data')
  const { primaryKey, ...change } = await validateChange(scope, procedure, body)
  if (typeof primaryKey !== 'string') throw invalid(findMissingKeyFaults(key, body.data))
  return writeWithRetry(async () => {
    // The process has this key already: writing it again would cost a row of the index.
    const update = { target: { primaryKey }, change }
    if (await findProcess(scope, procedure, update.target))
      return writeUpdateFor(scope, procedure, update, body.record, scheduleTimes)
    const faults = findNewFaults(procedure, change, body)
    if (faults.length > 0) throw invalid(faults)
    return writeNew(scope, procedure, { change: { ...change, primaryKey }, record: body.record }, scheduleTimes)
  }, isOvertaken)
}

/** Tells whether the process was created or deleted between the read and the write. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'duplicate_primary_key' || error.code === 'not_found')

export async function deleteProcess(
  scope: Scope,
  procedure: Procedure,
  target: Target,
  ifTag?: Tag,
): Promise<ProcessRow> {
  return writeWithRetry(async () => {
    const guards = 'rid' in target ? [] : [guardDefinition(procedure)]
    const deletion = { guards, outcome: null }
    const effect = trashProcess(scope, procedure, target, ifTag)
    const results = await write(scope, { ...deletion, effect }).catch((error: unknown) => {
      if (!(error instanceof StorageFullError)) throw error
      return write(scope, { ...deletion, effect: deleteOutright(procedure, target, ifTag) })
    })
    const row = readFirstRow(results)
    if (row) return row
    const current = await getProcess(scope, procedure, target)
    if (ifTag) requireTag(current, ifTag)
    throw new ProcessChanged()
  })
}
