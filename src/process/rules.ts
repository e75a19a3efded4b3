import { DOCUMENT_BYTES_MAX, isDocumentTooLarge } from '../db/document/size.ts'
import { AppError, type Fault } from '../errors.ts'
import { pointer } from '../http/request/faults.ts'
import { getDeclaredAttributes } from '../procedure/declared.ts'
import type { Procedure } from '../procedure/model.ts'
import { checkCompared, checkUndeclared, checkValue, isExactNumber } from '../procedure/values.ts'
import { createHint, describeNamed } from '../suggest.ts'
import { type FieldChanges, toStatusNumber, toStoredChanges } from './fields.ts'
import type { ProcessRow } from './row.ts'
import type { UpdateProcess } from './schema.ts'

export const DATA_KEYS_MAX = 500
export const NAME_LENGTH_MAX = 200
export const PRIMARY_KEY_LENGTH_MAX = 1_000

/** The values that a create or an update writes. */
export interface Change extends FieldChanges {
  set: Record<string, unknown>
  unset: string[]
  /** Present when the primary key changes; null when it is removed. */
  primaryKey?: string | null
  /** The row of the record that an update gives the process; null takes the process from its customer. */
  record?: number | null
  /** Set if the change goes against the allowed transitions, which needs `process:override`. The history shows it. */
  forced?: true
  /** The time of completion, if an undo restores it; else it follows from the status. */
  completedAt?: number
}

/** The change that a body asks for, and its faults. References to users are still as they were sent: `users.ts` looks them up later. */
export interface PlannedChange {
  change: Change
  faults: Fault[]
}

/** Validates a body against the procedure. `check` is for values: `checkStored` where they were stored before. */
export function planChange(procedure: Procedure, sent: UpdateProcess, check = checkValue): PlannedChange {
  const faults: Fault[] = []
  const change: Change = { set: {}, unset: [], ...toStoredChanges(sent) }
  if (sent.data) Object.assign(change, checkData(procedure, sent.data, { base: '/body/data', faults, check }))
  const state = sent.state ?? (sent.status === 'COMPLETED' ? procedure.completedState : undefined)
  if (sent.state !== undefined) faults.push(...findStateFaults(procedure, sent.state, '/body/state'))
  if (state !== undefined) change.state = state
  const status = sent.status === undefined ? findState(procedure, change.state)?.status : undefined
  if (status !== undefined) change.status = toStatusNumber(status)
  return { change, faults }
}

const findState = ({ states }: Procedure, shortId: string | undefined) =>
  shortId === undefined ? undefined : states.find(each => each.shortId === shortId)

/**
 * Lists the states whose status ends when a change leads away from them: a process in one of them is OPEN afterwards. There
 * are none if the change has a status, its own or that of its state. `updateProcessRow` in `rows/update.ts` does the same in SQL.
 */
export function listReopenedStates({ states }: Procedure, { state, status }: Change): string[] {
  if (state === undefined || status !== undefined) return []
  return states.filter(each => each.status !== undefined).map(each => each.shortId)
}

function findStateFaults({ states }: Procedure, state: string, path: string): Fault[] {
  return states.some(each => each.shortId === state)
    ? []
    : [{ message: `there is no state ${JSON.stringify(state)}`, path, hint: () => describeNamed(state, states) }]
}

function checkData(
  procedure: Procedure,
  data: Record<string, unknown>,
  { base, faults, check }: { base: string; faults: Fault[]; check: typeof checkValue },
): Partial<Change> {
  const declared = getDeclaredAttributes(procedure)
  const names = Object.keys(data)
  const at = (name: string) => base + pointer('body', name).slice('/body'.length)
  if (names.length > DATA_KEYS_MAX)
    faults.push({ message: `at most ${DATA_KEYS_MAX} attributes in one request`, path: base })
  // Undefined while every value is set as it was sent, as most often to the end: making an object of pairs takes long.
  let set: [string, unknown][] | undefined
  const copyUpTo = (nth: number): void => {
    set ??= names.slice(0, nth).map(name => [name, data[name]])
  }
  const refuse = (nth: number, name: string, fault: Omit<Fault, 'path'>): void => {
    copyUpTo(nth)
    faults.push({ ...fault, message: `${JSON.stringify(name)} ${fault.message}`, path: at(name) })
  }
  const unset: string[] = []
  for (let nth = 0; nth < names.length; nth++) {
    const name = names[nth] ?? ''
    const value = data[name]
    const attribute = declared.get(name)
    if (!attribute && procedure.strict)
      refuse(nth, name, { message: 'is not an attribute of this procedure', ...createHint(name, declared.keys()) })
    else if (name.length > NAME_LENGTH_MAX || !name.isWellFormed())
      refuse(nth, name, { message: `must be a name of at most ${NAME_LENGTH_MAX} characters` })
    else if (value === null) {
      if (attribute?.required) refuse(nth, name, { message: 'is required and cannot be removed' })
      copyUpTo(nth)
      unset.push(name)
    } else {
      const checked = attribute ? check(attribute, value) : checkUndeclared(value)
      if ('fault' in checked) refuse(nth, name, checked.fault)
      else {
        if (checked.value !== value) copyUpTo(nth)
        set?.push([name, checked.value])
      }
    }
  }
  const plan: Partial<Change> = { set: set ? Object.fromEntries(set) : data, unset }
  if (isDocumentTooLarge(plan.set ?? {}))
    faults.push({ message: `the attributes of a process take at most ${DOCUMENT_BYTES_MAX} bytes`, path: base })
  const key = procedure.primaryKey
  if (key === null) return plan
  if (unset.includes(key)) return { ...plan, primaryKey: null }
  const { primaryKey, faults: ofKey } = readPrimaryKey(procedure, plan.set ?? {})
  faults.push(...ofKey.map(fault => ({ ...fault, path: at(key) })))
  const value = plan.set?.[key]
  if (typeof value === 'number' && !isExactNumber(value))
    faults.push({
      message: `${JSON.stringify(key)}, the primary key, has more digits than a number keeps`,
      path: at(key),
    })
  return primaryKey === null ? plan : { ...plan, primaryKey }
}

/** Returns the text by which a process with these attributes is found; null if it has none. */
export function readPrimaryKey(
  { primaryKey: key }: Procedure,
  data: Record<string, unknown>,
): { primaryKey: string | null; faults: Fault[] } {
  if (key === null || !Object.hasOwn(data, key)) return { primaryKey: null, faults: [] }
  const value = data[key]
  if (typeof value !== 'string' && typeof value !== 'number')
    return {
      primaryKey: null,
      faults: [{ message: `${JSON.stringify(key)}, the primary key, must be text or a number` }],
    }
  const primaryKey = String(value)
  const isLong = primaryKey.length > PRIMARY_KEY_LENGTH_MAX
  const fault = { message: `a primary key has 1 to ${PRIMARY_KEY_LENGTH_MAX} characters` }
  return { primaryKey, faults: primaryKey === '' || isLong ? [fault] : [] }
}

/** Converts the primary key of an address or an entry into the text that is compared: of a phone number, its digits. */
export function toPrimaryKey(procedure: Procedure, text: string): string {
  const attribute = getDeclaredAttributes(procedure).get(procedure.primaryKey ?? '')
  const checked = attribute?.type === 'phone' ? checkCompared(attribute, text) : undefined
  return checked && 'value' in checked ? String(checked.value) : text
}

/** What was sent, as far as its faults depend on it. */
export interface FieldsInput {
  state?: unknown
  data?: Record<string, unknown> | undefined
}

/**
 * Finds what keeps a process from being created: a required attribute that is missing, and a state in which none starts.
 * A value that was refused is not missing besides.
 */
export const findNewFaults = (procedure: Procedure, change: Change, sent: FieldsInput): Fault[] => [
  ...procedure.attributes
    .filter(({ required, shortId }) => required && !Object.hasOwn(sent.data ?? {}, shortId))
    .filter(({ shortId }) => !Object.hasOwn(change.set, shortId))
    .map(({ shortId }) => ({
      message: `${JSON.stringify(shortId)} is required`,
      path: pointer('body', 'data', shortId),
    })),
  ...findStartFaults(procedure, change, sent),
]

function findStartFaults(procedure: Procedure, { state }: Change, sent: { state?: unknown }): Fault[] {
  if (findState(procedure, state)?.startsHere !== false) return []
  const possible = procedure.states.filter(each => each.startsHere !== false).map(each => each.shortId)
  const message = `a process cannot be created in the state ${JSON.stringify(state)}; it can be created in ${possible.join(' or ')}`
  // `status: COMPLETED` alone leads to the completed state.
  return [{ message, path: sent.state === undefined ? '/body/status' : '/body/state' }]
}

/** Lists the states from which a change is allowed, its own state included; undefined if it is allowed from all. */
export function listAllowedStates({ states }: Procedure, { state, forced }: Change): string[] | undefined {
  if (forced || state === undefined || states.every(({ next }) => next === undefined)) return undefined
  return states
    .filter(({ shortId, next }) => shortId === state || next === undefined || next.includes(state))
    .map(each => each.shortId)
}

/** Returns the error of a change that the present state does not allow. `updateProcessRow` in `rows/update.ts` has the same rule. */
export function toTransitionError(
  procedure: Procedure,
  row: Pick<ProcessRow, 'state'>,
  change: Change,
): AppError | undefined {
  const from = listAllowedStates(procedure, change)
  if (from === undefined || from.includes(row.state)) return undefined
  const next = procedure.states.find(each => each.shortId === row.state)?.next ?? []
  const list = next.length === 0 ? 'no other state' : next.join(', ')
  const message = `from ${row.state} a process can move to ${list}, not to ${change.state}`
  return new AppError('transition_not_allowed', [{ message, path: '/body/state', detail: { allowed: next } }])
}
