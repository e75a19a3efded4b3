import type { Cost } from '../../db/cost.ts'
import type { LoadedJob } from './load.ts'

/** One line a turn: how far the job came, and what that cost. */
export function logTurn({ job, team, cost }: LoadedJob & { cost: Cost }, from: number, ms: number): void {
  const { trips, statements, rowsRead, rowsWritten } = cost
  const { id, cursor: to, total } = job
  console.info(
    JSON.stringify({ job: id, team: team.id, from, to, total, ms, cost: { trips, statements, rowsRead, rowsWritten } }),
  )
}
