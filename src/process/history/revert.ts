import { countUtf8Bytes } from '../../bytes.ts'
import { isSameJson } from '../../db/document/canonical-json.ts'
import { toData } from '../../db/document/json.ts'
import { write } from '../../db/write.ts'
import { AppError, type Fault, notFound } from '../../errors.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { ProcessChanged, writeWithRetry } from '../conflict.ts'
import type { ScheduleTimes } from '../due/schedule.ts'
import { toStatus } from '../fields.ts'
import { requireTag, updateProcess } from '../operations.ts'
import type { ProcessRow } from '../row.ts'
import { selectStoredOutcome } from '../rows/outcome.ts'
import { formatTarget, type Tag, type Target } from '../rows/target.ts'
import { toTransitionError } from '../rules.ts'
import type { UpdateProcess } from '../schema.ts'
import { findSnapshot } from './load-snapshot.ts'
import { type HistoryScope, isTooLong } from './read-log.ts'
import type { ProcessSnapshot } from './snapshot.ts'

interface RevertRequest {
  target: Target
  version: number
  ifTag?: Tag | undefined
  /** Whether a move that is not allowed is made all the same. */
  force: boolean
}

/** Gives a process the values of one of its versions again, by an ordinary update. Its customer stays. */
export async function revertProcess(
  scope: HistoryScope,
  procedure: Procedure,
  { target, version, ifTag, force }: RevertRequest,
  scheduleTimes: ScheduleTimes,
): Promise<ProcessRow> {
  return writeWithRetry(async () => {
    const { process, now } = await findSnapshot(scope, procedure, target, { version }).catch((error: unknown) => {
      throw isTooLong(error) ? toRevertRefusal(error, undefined) : error
    })
    if (now === undefined) throw notFound(formatTarget(target))
    if (ifTag) requireTag(now, ifTag)
    const body = differenceTo(process, now)
    if (body === undefined) return keepAsItIs(scope, procedure, target, now)
    // The difference is to the process as it was read, so nobody may have changed it since.
    const tag = { version: now.version, record: now.record?.version ?? 0 }
    // Only a move that would be refused counts as forced.
    const { state } = body
    const isForced =
      force && state !== undefined && toTransitionError(procedure, now, { set: {}, unset: [], state }) !== undefined
    return updateProcess(scope, procedure, { target, body, ifTag: tag, isForced, isRevert: true }, scheduleTimes).catch(
      (error: unknown) => {
        throw withFormerValues(toRevertRefusal(error, ifTag), version, body)
      },
    )
  })
}

/** Makes the update that gives a process its former values; undefined if it has them already. */
function differenceTo({ row, data }: ProcessSnapshot, now: ProcessRow): UpdateProcess | undefined {
  const { status, state, nextActionAt, assignedTo } = row
  const [then, present] = [toData(Object.fromEntries(data)), toData(now.data)]
  const set = Object.entries(then).filter(
    ([name, value]) => !Object.hasOwn(present, name) || !isSameJson(present[name], value),
  )
  const unset = Object.keys(present).filter(name => !Object.hasOwn(then, name))
  const body: UpdateProcess = {
    // A status alone may change the state, and a state alone the status.
    ...(status === now.status && state === now.state ? {} : { status: toStatus(status), state }),
    ...(nextActionAt === now.nextActionAt ? {} : { nextActionAt }),
    ...(assignedTo === now.assignedTo ? {} : { assignedTo }),
    ...(set.length + unset.length === 0
      ? {}
      : { data: Object.fromEntries([...set, ...unset.map(name => [name, null] as const)]) }),
  }
  return Object.keys(body).length === 0 ? undefined : body
}

/** Writes the response for the idempotency key, and no new version. */
async function keepAsItIs(scope: Scope, procedure: Procedure, target: Target, now: ProcessRow): Promise<ProcessRow> {
  if (scope.idempotency)
    await write(scope, { effect: [], outcome: { select: () => selectStoredOutcome(procedure, target) } })
  return now
}

/** Explains the faults of the update, which are those of a body that the caller has not sent. */
function toRevertRefusal(error: unknown, ifTag: Tag | undefined): unknown {
  if (!(error instanceof AppError)) return error
  if (error.code === 'precondition_failed' && !ifTag) return new ProcessChanged()
  return new AppError(error.code, error.faults.map(toRevertFault), error)
}

const HINT_BYTES_MAX = 1_000

/** Where the definition no longer holds some of the values, the others can be put back by an update: those too long for a sentence are in the history. */
function withFormerValues(error: unknown, version: number, body: UpdateProcess): unknown {
  if (!(error instanceof AppError) || error.code !== 'invalid_request') return error
  const item = JSON.stringify(body)
  if (countUtf8Bytes(item) > HINT_BYTES_MAX) return error
  const hint = `the values of version ${version}: ${item}`
  return new AppError(
    error.code,
    error.faults.map((fault, nth) => (nth === 0 ? { ...fault, hint } : fault)),
    error,
  )
}

const toRevertFault = ({ message, path, detail }: Fault): Fault => ({
  message,
  ...(path === undefined ? {} : { path: /^\/(body\/|query\/asOf$)/.test(path) ? '/body/version' : path }),
  ...(detail && { detail }),
})
