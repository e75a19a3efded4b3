import { sql } from 'drizzle-orm'
import { select } from '../db/statement.ts'
import type { Fault } from '../errors.ts'
import type { Scope } from '../scope.ts'
import { createHint } from '../suggest.ts'
import { procedure } from './table.ts'

/** Finds the ids of procedures that a list names by id or short id, each once, with a fault for each that the team doesn't have. */
export async function findNamedProcedures(
  scope: Scope,
  references: readonly string[],
  path: string,
): Promise<{ ids: string[]; faults: Fault[] }> {
  const [known] = await scope.db.read(
    select(
      { id: procedure.id, shortId: procedure.shortId },
      sql`FROM ${procedure} WHERE ${procedure.team} = ${scope.team.no}`,
    ),
  )
  const idByReference = new Map(known.flatMap(({ id, shortId }) => [[id, id] as const, [shortId, id] as const]))
  const found = references.map(reference => idByReference.get(reference) ?? idByReference.get(reference.toLowerCase()))
  const shortIds = known.map(({ shortId }) => shortId)
  return {
    ids: [...new Set(found.flatMap(id => id ?? []))],
    faults: references.flatMap((reference, nth) =>
      found[nth] === undefined
        ? [{ message: `procedure ${reference} not found`, path: `${path}/${nth}`, ...createHint(reference, shortIds) }]
        : [],
    ),
  }
}
