import { interruptSendingJobs } from '../background-job/maintenance/interrupt.ts'
import { type ReplayContext, type ReplayedNotes, replayTeamErasures } from '../maintenance/replay-erasures.ts'

/** What is left of the 1,000 statements of an invocation is for the last erasure. */
const STATEMENTS_MAX = 400

interface SettledPart extends ReplayedNotes {
  /** Jobs that send, and were cancelled. */
  interruptedJobs: number
}

/**
 * After a restore of one team, while it is suspended: its jobs that may have sent are cancelled, and what was erased since is
 * erased again, a page of notes in each request.
 */
export async function settleTeam(
  context: Omit<ReplayContext, 'statementsMax'>,
  team: number,
  after: string | undefined,
): Promise<SettledPart> {
  const interruptedJobs = after === undefined ? await interruptSendingJobs(context.db(), context.now, team) : 0
  const replayed = await replayTeamErasures({ ...context, statementsMax: STATEMENTS_MAX }, team, after || null)
  return { interruptedJobs, ...replayed }
}
