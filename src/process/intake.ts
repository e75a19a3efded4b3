import { z } from 'zod'
import { type Fault, invalid } from '../errors.ts'
import type { Procedure } from '../procedure/model.ts'
import { checkJson } from '../procedure/values.ts'
import type { Scope } from '../scope.ts'
import { findUserId } from '../user/operations.ts'
import { type Change, planChange } from './rules.ts'
import type { CreateProcess } from './schema.ts'

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

const faultsOfRecord = (data: Record<string, unknown>): Fault[] =>
  Object.entries(data).flatMap(([name, value]) => {
    const fault = checkJson(value)
    return fault
      ? [{ ...fault, message: `${JSON.stringify(name)}: ${fault.message}`, path: `/body/record/data/${name}` }]
      : []
  })
