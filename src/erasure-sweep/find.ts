import type { Scope } from '../scope.ts'
import { type SweepRow, selectSweep } from './statements.ts'

/** What is left to go through after the erasure of a record or process of the team. */
export async function findSweep({ db, team }: Scope, id: string): Promise<SweepRow | undefined> {
  const [[found]] = await db.read(selectSweep(team.no, id))
  return found
}
