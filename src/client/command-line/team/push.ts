import { CaseworkerError } from '../../client.ts'
import type { Given, Session } from '../command/command.ts'
import { EXIT, type ExitCode } from '../command/exit-code.ts'
import { hasFlag } from '../command/options.ts'
import { confirm } from '../connection/ask.ts'
import { hasRowOptions, printRows } from '../output/print-rows.ts'
import { print, printError } from '../output/terminal.ts'
import type { DefinitionFile } from './definition-files.ts'
import { type DefinitionPlan, planOf, planOfInvalid, planText, summaryOf } from './definition-plan.ts'

const PLAN_COLUMNS = ['procedure', 'outcome', 'changes', 'refusals', 'indexes', 'search', 'values']

interface Planned extends DefinitionFile {
  plan: DefinitionPlan
  /** Of the definition that the plan was compared with. */
  etag: string
}

/** Shows what the definitions would change, asks, and puts those that differ. If one is refused, none is put. */
export async function pushDefinitions(
  session: Session,
  given: Given,
  files: readonly DefinitionFile[],
): Promise<ExitCode | undefined> {
  const planned: Planned[] = []
  for (const each of files) planned.push(await planWith(session, each))
  const plans = planned.map(({ plan }) => plan)
  await printPlans(given, plans)
  const [isRefused, isDryRun] = [plans.some(({ outcome }) => outcome === 'refused'), hasFlag(given, 'dry-run')]
  const different = planned.filter(({ plan }) => plan.outcome === 'new' || plan.outcome === 'changed')
  const isNothingDone = isRefused || isDryRun || different.length === 0
  printError(`${summaryOf(plans)}${isNothingDone ? ': nothing was changed' : ''}\n`)
  if (isRefused) return EXIT.refused
  if (isNothingDone) return undefined
  const names = different.map(({ procedure }) => procedure).join(', ')
  await confirm(`The definitions of ${names} will be put. Continue?`, hasFlag(given, 'yes'), session.signal)
  return putAll(session, different)
}

/** For people, or as rows where a format or columns are chosen. */
async function printPlans(given: Given, plans: readonly DefinitionPlan[]): Promise<void> {
  if (hasRowOptions(given)) return printRows(given, plans, PLAN_COLUMNS)
  await print(plans.map(planText).join(''))
}

async function planWith({ client, signal }: Session, file: DefinitionFile): Promise<Planned> {
  const { procedure, definition } = file
  try {
    const outlook = await client.procedures.dryRun(procedure, definition, { signal })
    return { ...file, plan: planOf(procedure, outlook), etag: outlook.etag }
  } catch (error) {
    if (!(error instanceof CaseworkerError && error.is('invalid_request'))) throw error
    return { ...file, plan: planOfInvalid(procedure, error), etag: '' }
  }
}

/** Only what the plan was made from is replaced. What was put before one that failed stays: the next plan shows what is left. */
async function putAll({ client, signal }: Session, planned: readonly Planned[]): Promise<undefined> {
  for (const [at, { procedure, definition, etag }] of planned.entries()) {
    try {
      await client.procedures.put(procedure, definition, { ifMatch: etag, signal })
    } catch (error) {
      const rest = planned.slice(at + 1).map(each => each.procedure)
      const untried = rest.length === 0 ? '' : `; not tried: ${rest.join(', ')}`
      printError(`stopped at ${procedure}${untried}. Push again for a plan of what is left\n`)
      throw error
    }
    printError(`${procedure} is put\n`)
  }
  return undefined
}
