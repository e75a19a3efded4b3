import type { Found, Search, WantedNames } from '../../background-job/kind.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { findMatches } from '../query/matches.ts'

/** The processes that match, as entries of jobs name them. */
export async function findNames(scope: Scope, procedure: Procedure, wanted: WantedNames): Promise<Found> {
  const { ids, rest } = await findMatches(scope, procedure, wanted)
  return { names: ids.map(id => ({ processId: id })), rest }
}

/** The same for the queue: by the definition in force. */
export const findProcesses = ({ scope, procedure: reference, ...wanted }: Search): Promise<Found> =>
  withProcedure(scope, reference, procedure => findNames(scope, procedure, wanted))
