import type { Procedure, PutProcedureBody } from 'caseworker'

/** This word has another meaning in the addresses of these pages, so no short id may be it. */
const TAKEN = 'new'

/** The definition of a procedure, below `/admin`. */
export const definitionAddress = ({ shortId, id }: Pick<Procedure, 'shortId' | 'id'>): string =>
  `/procedure/${shortId === TAKEN ? id : encodeURIComponent(shortId)}`

/** Converts a procedure into the body of its definition, without read-only fields. */
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
