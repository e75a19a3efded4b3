import type { Procedure, PutProcedureBody } from 'caseworker'

/** A definition as it is sent: without what only the API says of it. */
export function definitionBody({ name, states, attributes, ...rest }: Procedure): PutProcedureBody {
  const { startState, completedState, primaryKey, phoneAttribute, strict } = rest
  return {
    name,
    states,
    startState,
    completedState,
    attributes: attributes.map(({ indexReady, searchReady, ...attribute }) => attribute),
    primaryKey,
    phoneAttribute,
    strict,
  }
}
