import type { Fault } from '../../errors.ts'
import type { ProcedureRow } from '../model.ts'
import type { ProcedureInput, PutProcedure } from '../schema.ts'

const READ_ONLY = ['id', 'shortId', 'createdAt', 'updatedAt'] as const

/** Returns the part of a body that is stored. The rest was read, or is for editors. */
export function pickWrittenPart({
  $schema,
  id,
  shortId,
  createdAt,
  updatedAt,
  attributes,
  ...written
}: ProcedureInput): PutProcedure {
  return { ...written, attributes: attributes.map(({ indexReady, searchReady, ...attribute }) => attribute) }
}

/** Finds read-only members with another value: a body of another procedure, or of an older state, was not read from here. */
export function findReadOnlyFaults(sent: ProcedureInput, before: ProcedureRow | undefined): Fault[] {
  return READ_ONLY.flatMap(name => {
    if (sent[name] === undefined || sent[name] === before?.[name]) return []
    const is = before === undefined ? 'the procedure is new' : `it is ${JSON.stringify(before[name])}`
    return [{ message: `"${name}" is only read: ${is}`, path: `/body/${name}`, hint: 'leave it out' }]
  })
}
