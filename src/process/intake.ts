import { z } from 'zod'
import { type Fault, invalid } from '../errors.ts'
import type { Procedure } from '../procedure/model.ts'
import { checkJson } from '../procedure/values.ts'
import type { Scope } from '../scope.ts'
import { findUserId } from '../user/operations.ts'
import { type Change, planChange } from './rules.ts'
import { CreateProcess } from './schema.ts'

type Lack = (procedure: Procedure, change: Change) => Fault[]

/** Everything that is wrong with a body, told at once; then the users it refers to are looked up. */
export async function takeIn(
  scope: Scope,
  procedure: Procedure,
  body: CreateProcess,
  lack: Lack = () => [],
): Promise<Change> {
  const { record, ...sent } = body
  const { change, faults } = planChange(procedure, sent)
  const all = [...faults, ...lack(procedure, change), ...faultsOfRecord(record?.data ?? {})]
  if (all.length > 0) throw invalid(all)
  if (typeof change.assignedTo === 'string')
    change.assignedTo = await findUserId(scope, change.assignedTo, '/body/assignedTo')
  return change
}

/** What a body whose shape is refused already would be refused for besides: as far as its members can be read. */
export async function otherFaults(procedure: Procedure, body: unknown, lack: Lack = () => []): Promise<Fault[]> {
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
  return [...faults, ...(data ? lack(procedure, change) : []), ...faultsOfRecord(record?.data ?? {})]
}

const faultsOfRecord = (data: Record<string, unknown>): Fault[] =>
  Object.entries(data).flatMap(([name, value]) => {
    const fault = checkJson(value)
    return fault
      ? [{ ...fault, message: `${JSON.stringify(name)}: ${fault.message}`, path: `/body/record/data/${name}` }]
      : []
  })
