import type { Db } from '../db/client.ts'
import type { Definition, Procedure } from './model.ts'
import { selectProceduresByNo, toProcedureRow } from './store.ts'

/** Lists the attributes that an erasure of the customer everywhere empties. */
export const listPersonalNames = ({ attributes }: Pick<Definition, 'attributes'>): string[] =>
  attributes.filter(({ personal }) => personal === true).map(({ shortId }) => shortId)

/** Loads the definitions in force of some procedures of a team, by their numbers. */
export async function loadProcedures(
  db: Db,
  team: number,
  numbers: readonly number[],
): Promise<Map<number, Procedure>> {
  if (numbers.length === 0) return new Map()
  const [rows] = await db.read(selectProceduresByNo(team, numbers))
  return new Map(rows.map(row => [row.no, toProcedureRow(row)]))
}
