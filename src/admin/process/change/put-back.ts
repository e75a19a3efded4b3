import type { Procedure, Process, UpdateProcessByIdBody } from 'caseworker'
import { statesAfter } from '../../api/procedure.ts'
import { isSame } from '../../parts/form/same.ts'
import { fieldsIn, valueIn } from './change-fields.ts'

const DATA = 'data.'

/** Whether a change can be taken back by another: not where the state that it came from may not follow. */
export const mayPutBack = (procedure: Procedure, before: Process, after: Process): boolean =>
  before.state === after.state || statesAfter(procedure, after.state).includes(before.state)

/** The change that gives the fields of another their values of before. A status brings its state along. */
export function inverseOf(change: UpdateProcessByIdBody, before: Process, after: Process): UpdateProcessByIdBody {
  const named = fieldsIn(change).map(({ name }) => name)
  const names = new Set([
    ...named,
    ...['status', 'state'].filter(each => !isSame(valueIn(before, each), valueIn(after, each))),
  ])
  const values = [...names].map(name => [name, valueIn(before, name) ?? null] as const)
  const ofData = values
    .filter(([name]) => name.startsWith(DATA))
    .map(([name, value]) => [name.slice(DATA.length), value])
  return {
    ...Object.fromEntries(values.filter(([name]) => !name.startsWith(DATA))),
    ...(ofData.length === 0 ? {} : { data: Object.fromEntries(ofData) }),
  }
}
