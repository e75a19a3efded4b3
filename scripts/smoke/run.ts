import { accessChecks } from './access.ts'
import { jobChecks } from './jobs.ts'
import { messagingChecks } from './messaging.ts'
import { procedureCheck } from './procedure.ts'
import { processChecks } from './processes.ts'
import { protocolChecks } from './protocol.ts'
import { type Outcome, type Place, perform } from './visit.ts'

const CHECKS = [...accessChecks, ...processChecks, ...jobChecks, ...protocolChecks, ...messagingChecks]

/** Runs all checks, one after the other; those that mostly wait run beside them. */
export async function visit(place: Place, report: (outcome: Outcome) => void): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const examine = async (check: (typeof CHECKS)[number]) => {
    const outcome = await perform(place, check)
    outcomes.push(outcome)
    report(outcome)
  }
  await examine(procedureCheck)
  const waiting = CHECKS.filter(check => check.waits).map(examine)
  for (const check of CHECKS) if (!check.waits) await examine(check)
  await Promise.all(waiting)
  return outcomes
}
