import { textStatement } from '../db/text-statement.ts'
import { UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'

/** The ids of the team's users, by each id, username or e-mail address that was given for one. */
export async function findUsers(scope: Scope, references: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  if (references.length === 0) return found
  const named = JSON.stringify(references)
  const ids = JSON.stringify(references.filter(reference => UUID.test(reference)).map(id => id.toLowerCase()))
  const emails = JSON.stringify(references.map(reference => reference.toLowerCase()))
  const listed = 'IN (SELECT value FROM json_each(?2))'
  const [byId, byName, byEmail] = await scope.db.batch([
    textStatement(`SELECT id, id AS name FROM user WHERE +team = ?1 AND id ${listed}`, scope.team.no, ids),
    textStatement(`SELECT id, username AS name FROM user WHERE team = ?1 AND username ${listed}`, scope.team.no, named),
    textStatement(
      `SELECT id, normalized_email AS name FROM user WHERE team = ?1 AND normalized_email ${listed}`,
      scope.team.no,
      emails,
    ),
  ])
  const idsBy = [byId, byName, byEmail].map(
    result => new Map((result?.rows ?? []).map(({ name, id }) => [String(name), String(id)])),
  )
  for (const reference of references) {
    const lower = reference.toLowerCase()
    const id = idsBy[0]?.get(lower) ?? idsBy[1]?.get(reference) ?? idsBy[2]?.get(lower)
    if (id !== undefined) found.set(reference, id)
  }
  return found
}
