import { isTooLarge } from '../db/document-size.ts'
import { isGuardFailure, isUniqueViolation } from '../db/guard.ts'
import { type TextStatement, textGuard } from '../db/text-statement.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { pointer } from '../http/faults.ts'
import type { Receipt } from '../http/idempotency/record.ts'
import { newId, ridOf } from '../ids.ts'
import { guardDefinition } from '../procedure/definition-guard.ts'
import type { Procedure } from '../procedure/model.ts'
import { hasRecordAppeared, planRecords } from '../record/operations.ts'
import type { Scope } from '../scope.ts'
import { takeIn } from './intake.ts'
import { duplicate, tooLarge } from './refusals.ts'
import { type ProcessRow, statusNumber, statusOf } from './row.ts'
import { type Change, missingAttributes, refusal } from './rules.ts'
import type { CreateProcess, UpdateProcess } from './schema.ts'
import { findProcess, rowOf, selectProcess, trashStatements } from './store.ts'
import { insertStatement, type Target, updateStatement } from './write.ts'

const ATTEMPTS_MAX = 8

export interface Tag {
  version: number
  record: number
}

const nameOf = (target: Target): string => `process ${'rid' in target ? target.id : target.primaryKey}`

export async function getProcess(scope: Scope, procedure: Procedure, target: Target): Promise<ProcessRow> {
  const row = await findProcess(scope, procedure, target)
  if (!row) throw notFound(nameOf(target))
  return row
}

/** Reads nothing first: the statement holds to the rules itself, and only when it changed nothing is it asked why. */
export async function updateProcess(
  scope: Scope,
  procedure: Procedure,
  target: Target,
  body: UpdateProcess,
  receipt: Receipt,
  ifTag?: Tag,
): Promise<ProcessRow> {
  const change = await takeIn(scope, procedure, body)
  return writeUpdate(scope, procedure, target, change, receipt, { ifTag })
}

interface Extra {
  ifTag?: Tag | undefined
  /** Statements that must take effect with the update, or not at all. */
  alongside?: TextStatement[]
}

const NOTHING_CHANGED = 'nothing changed'

async function writeUpdate(
  scope: Scope,
  procedure: Procedure,
  target: Target,
  change: Change,
  receipt: Receipt,
  { ifTag, alongside = [] }: Extra,
): Promise<ProcessRow> {
  const outcome = selectProcess(
    procedure,
    'rid' in target ? target : { primaryKey: change.primaryKey ?? target.primaryKey },
  )
  const update = updateStatement(procedure, { target, change, ...(ifTag ? { ifVersion: ifTag } : {}) }, scope.now)
  const unlessNothing = alongside.length > 0 ? [textGuard(NOTHING_CHANGED, 'changes() > 0')] : []
  const batch = [guardDefinition(procedure), ...alongside, update, ...unlessNothing, ...receipt.of(outcome, true)]
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const results = await orRefusal(scope, procedure, change, scope.db.batch(batch)).catch((error: unknown) => {
      if (isGuardFailure(error, NOTHING_CHANGED)) return []
      throw error
    })
    const row = rowOf(results[1 + alongside.length]?.rows)
    if (row) return row
    const current = await getProcess(scope, procedure, target)
    if (ifTag) refuseTag(current, ifTag)
    const refused = refusal(procedure, current, change)
    if (refused) throw refused
  }
  throw changingAtOnce()
}

const changingAtOnce = (cause?: unknown): AppError =>
  new AppError('conflict', 'the process is being changed by others at the same time; try again', cause)

/** Somebody else was faster, or took the same number in the same millisecond: decided anew, it can still be done. */
const isRace = (error: unknown): boolean =>
  hasRecordAppeared(error) || isUniqueViolation(error, 'process.rid') || isUniqueViolation(error, 'record.rid')

function refuseTag({ version, record }: ProcessRow, ifTag: Tag): void {
  if (version === ifTag.version && (record?.version ?? 0) === ifTag.record) return
  throw new AppError('precondition_failed', [{ message: 'the process has changed since', path: '/header/if-match' }])
}

export async function createProcess(
  scope: Scope,
  procedure: Procedure,
  body: CreateProcess,
  receipt: Receipt,
): Promise<ProcessRow> {
  const change = await takeIn(scope, procedure, body, missingAttributes)
  for (let attempt = 1; ; attempt++) {
    const records = await planRecords(scope, [body.record?.data ?? null])
    const id = newId(scope.now)
    const item = { ...newItem(procedure, change, scope), rid: ridOf(id), id, record: records.rids[0] ?? null }
    const batch = [
      guardDefinition(procedure),
      ...records.statements,
      insertStatement(procedure, [item], scope.now),
      ...receipt.of(selectProcess(procedure, item)),
    ]
    try {
      const results = await orRefusal(scope, procedure, change, scope.db.batch(batch))
      const row = rowOf(results[1 + records.statements.length]?.rows)
      if (row) return row
    } catch (error) {
      if (!isRace(error)) throw error
      if (attempt >= ATTEMPTS_MAX) throw changingAtOnce(error)
    }
  }
}

/** What a new process starts with where the caller left it open. */
export function newItem(procedure: Procedure, change: Change, { user, now }: Pick<Scope, 'user' | 'now'>) {
  const status = change.status ?? statusNumber('OPEN')
  return {
    change: { ...change, status, state: change.state ?? procedure.startState },
    createdBy: user.id,
    completedAt: statusOf(status) === 'COMPLETED' ? now : 0,
    version: 1,
  }
}

/** Create or update by the primary key in `data`, whichever it takes; whoever comes first creates. */
export async function upsertProcess(
  scope: Scope,
  procedure: Procedure,
  body: CreateProcess,
  receipt: Receipt,
): Promise<ProcessRow> {
  const key = procedure.primaryKey
  if (key === null)
    throw invalid([{ message: `the procedure ${procedure.shortId} has no primary key`, path: '/body/data' }])
  const { primaryKey } = await takeIn(scope, procedure, body)
  if (primaryKey === undefined || primaryKey === null)
    throw invalid([
      { message: `${JSON.stringify(key)}, the primary key, is required`, path: pointer('body', 'data', key) },
    ])
  for (let attempt = 1; ; attempt++) {
    try {
      const existing = await findProcess(scope, procedure, { primaryKey })
      if (!existing) return await createProcess(scope, procedure, body, receipt)
      return await updateExisting(scope, procedure, primaryKey, body, receipt)
    } catch (error) {
      const raced =
        isRace(error) ||
        (error instanceof AppError && (error.code === 'duplicate_primary_key' || error.code === 'not_found'))
      if (!raced || attempt >= ATTEMPTS_MAX) throw error
    }
  }
}

async function updateExisting(
  scope: Scope,
  procedure: Procedure,
  primaryKey: string,
  body: CreateProcess,
  receipt: Receipt,
) {
  const { record, ...update } = body
  // Found by its key it has it: writing it again would cost a row of the index.
  const { primaryKey: _, ...change } = await takeIn(scope, procedure, update)
  const { rids, statements } = await planRecords(scope, [record?.data ?? null])
  const [number] = rids
  const changeOfAll = number == null ? change : { ...change, record: number }
  return writeUpdate(scope, procedure, { primaryKey }, changeOfAll, receipt, { alongside: statements })
}

export async function deleteProcess(
  scope: Scope,
  procedure: Procedure,
  target: Target,
  ifTag?: Tag,
): Promise<ProcessRow> {
  const guards = 'rid' in target ? [] : [guardDefinition(procedure)]
  const results = await scope.db.batch([...guards, ...trashStatements(procedure, target, scope.now, ifTag)])
  const row = rowOf(results.at(-1)?.rows)
  if (row) return row
  const current = await getProcess(scope, procedure, target)
  if (ifTag) refuseTag(current, ifTag)
  return deleteProcess(scope, procedure, target, ifTag)
}

/** A primary key that is taken is said with the id of the process that has it. */
async function orRefusal<T>(scope: Scope, procedure: Procedure, { primaryKey }: Change, write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (isTooLarge(error, 'process')) throw tooLarge('process', '/body/data', error)
    if (isTooLarge(error, 'record')) throw tooLarge('record', '/body/record/data', error)
    if (!isUniqueViolation(error, 'process.primary_key') || typeof primaryKey !== 'string') throw error
    const holder = await findProcess(scope, procedure, { primaryKey })
    throw duplicate(procedure, primaryKey, holder?.id)
  }
}
