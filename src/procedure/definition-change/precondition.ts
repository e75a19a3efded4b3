import { AppError } from '../../errors.ts'
import type { Procedure } from '../model.ts'

/** Formats the entity tag. Its first part changes with the definition, the second one also when an index has been built. That of no procedure is `"0-0"`. */
export const formatProcedureEtag = (procedure: Pick<Procedure, 'updatedAt' | 'version'> | undefined): string =>
  `"${procedure?.updatedAt ?? 0}-${procedure?.version ?? 0}"`

/** The definition that `If-Match` requires: the time of one, 0 for none, or any definition (`*`). Undefined if it requires nothing. */
export type RequiredDefinition = number | '*' | undefined

export function requireDefinition(before: Procedure | undefined, required: RequiredDefinition): void {
  if (required === undefined || (required === '*' && before) || (before?.updatedAt ?? 0) === required) return
  const message = before ? 'the definition has changed since' : 'there is no procedure with this short id'
  throw new AppError('precondition_failed', [{ message, path: '/header/if-match' }])
}
