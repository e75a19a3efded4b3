import { z } from 'zod'
import { DOCUMENT_BYTES_MAX, isDocumentTooLarge } from '../db/document/size.ts'
import { type Fault, invalid } from '../errors.ts'
import { pointer } from '../http/request/faults.ts'
import type { Procedure } from '../procedure/model.ts'
import { checkJson } from '../procedure/values.ts'
import type { Scope } from '../scope.ts'
import { findUserId } from '../user/operations.ts'
import { type Change, DATA_KEYS_MAX, NAME_LENGTH_MAX, planChange } from './rules.ts'
import { CreateProcess } from './schema.ts'

/** What a change must contain: in a new process, the required attributes. */
type RequiredCheck = (procedure: Procedure, change: Change) => Fault[]

/** Validates a body, all faults at once; then looks up the user that it refers to. */
export async function validateChange(
  scope: Scope,
  procedure: Procedure,
  body: CreateProcess,
  missing: RequiredCheck = () => [],
): Promise<Change> {
  const { record, ...sent } = body
  const { change, faults } = planChange(procedure, sent)
  const all = [...faults, ...missing(procedure, change), ...(record?.data ? recordFaults(record.data) : [])]
  if (all.length > 0) throw invalid(all)
  if (typeof change.assignedTo === 'string')
    change.assignedTo = await findUserId(scope, change.assignedTo, '/body/assignedTo')
  return change
}

/** The further faults of a body that its schema refuses already, from the fields that are readable. */
export function furtherFaults(procedure: Procedure, body: unknown, missing: RequiredCheck = () => []): Fault[] {
  const readable = z.object({
    data: CreateProcess.shape.data.optional().catch(undefined),
    state: z.string().optional().catch(undefined),
    record: CreateProcess.shape.record.optional().catch(undefined),
  })
  const { data, state, record } = readable.safeParse(body).data ?? {}
  const { change, faults } = planChange(procedure, {
    ...(data ? { data } : {}),
    ...(state === undefined ? {} : { state }),
  })
  return [...faults, ...(data ? missing(procedure, change) : []), ...(record?.data ? recordFaults(record.data) : [])]
}

type DataPlace = Parameters<typeof pointer>

/** `place` is where the data stand in the request. */
export function recordFaults(data: Record<string, unknown>, place: DataPlace = ['body', 'record', 'data']): Fault[] {
  const path = pointer(...place)
  const faults = Object.entries(data).flatMap(([name, value]): Fault[] => {
    const at = pointer(...place, name)
    if (name.length > NAME_LENGTH_MAX || !name.isWellFormed())
      return [{ message: `${JSON.stringify(name)} must be a name of at most ${NAME_LENGTH_MAX} characters`, path: at }]
    const fault = checkJson(value)
    return fault ? [{ ...fault, message: `${JSON.stringify(name)}: ${fault.message}`, path: at }] : []
  })
  if (Object.keys(data).length > DATA_KEYS_MAX)
    faults.push({ message: `at most ${DATA_KEYS_MAX} attributes in one request`, path })
  if (isDocumentTooLarge(data))
    faults.push({ message: `the attributes of a record take at most ${DOCUMENT_BYTES_MAX} bytes`, path })
  return faults
}
