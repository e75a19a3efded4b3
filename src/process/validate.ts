import * as z from 'zod'
import { DOCUMENT_BYTES_MAX, isDocumentTooLarge } from '../db/document/size.ts'
import { type Fault, invalid } from '../errors.ts'
import { pointer } from '../http/request/faults.ts'
import type { Procedure } from '../procedure/model.ts'
import { checkJson, checkValue } from '../procedure/values.ts'
import type { Scope } from '../scope.ts'
import { type Change, DATA_KEYS_MAX, type FieldsInput, NAME_LENGTH_MAX, planChange } from './rules.ts'
import { CreateProcess } from './schema.ts'
import { requireUsers } from './users.ts'

/** A check of a change beyond its attributes. For a new process it is `findNewFaults`. */
export type FurtherCheck = (procedure: Procedure, change: Change, sent: FieldsInput) => Fault[]

/** Validates a body and reports all faults at once; then looks up the users to whom it refers. */
export async function validateChange(
  scope: Scope,
  procedure: Procedure,
  body: CreateProcess,
  further: FurtherCheck = () => [],
  check = checkValue,
): Promise<Change> {
  const { record, ...sent } = body
  const { change, faults } = planChange(procedure, sent, check)
  const all = [
    ...faults,
    ...further(procedure, change, sent),
    ...(record?.data ? findRecordDataFaults(record.data) : []),
  ]
  if (all.length > 0) throw invalid(all)
  return requireUsers(scope, procedure, change)
}

/** Finds the further faults of a body that its schema has refused already, in the fields that are readable. */
export function findFurtherFaults(procedure: Procedure, body: unknown, further: FurtherCheck = () => []): Fault[] {
  const readable = z.object({
    data: CreateProcess.shape.data.optional().catch(undefined),
    state: z.string().optional().catch(undefined),
    status: CreateProcess.shape.status.optional().catch(undefined),
    record: CreateProcess.shape.record.optional().catch(undefined),
  })
  const { data, state, status, record } = readable.safeParse(body).data ?? {}
  const sent = {
    ...(data ? { data } : {}),
    ...(state === undefined ? {} : { state }),
    ...(status === undefined ? {} : { status }),
  }
  const { change, faults } = planChange(procedure, sent)
  // If the attributes can't be read, none of them is reported as missing.
  const readableOnes = data ? procedure : { ...procedure, attributes: [] }
  return [...faults, ...further(readableOnes, change, sent), ...(record?.data ? findRecordDataFaults(record.data) : [])]
}

type DataPlace = Parameters<typeof pointer>

/** Finds the faults of a customer's data. `place` is the place of the data in the request. */
export function findRecordDataFaults(
  data: Record<string, unknown>,
  place: DataPlace = ['body', 'record', 'data'],
): Fault[] {
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
