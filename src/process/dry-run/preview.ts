import { type Outcome, toOutcome } from '../../background-job/entry.ts'
import type { Step, StepEntry } from '../../background-job/kind.ts'
import { planRecords } from '../../customer-record/plan.ts'
import type { RequestedRecord } from '../../customer-record/requested-records.ts'
import { toStoredData } from '../../db/document/json.ts'
import { isDocumentTooLarge } from '../../db/document/size.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { type CreatePlan, decideCreateStep, planCreates } from '../bulk/create.ts'
import type { CreatedProcess, DecidedStep } from '../bulk/decision.ts'
import { writeStepWithRetry } from '../bulk/step-conflict.ts'
import { decideUpdateStep, planUpdates } from '../bulk/update.ts'
import type { UpdatePlan } from '../bulk/update-rules.ts'
import { decideUpsertStep, planUpserts } from '../bulk/upsert.ts'
import type { RowDelete, RowUpdate } from '../bulk/write-many.ts'
import { ProcessChanged } from '../conflict.ts'
import { identifiesNobody } from '../customer.ts'
import { tooLargeError } from '../refusals.ts'
import { buildNewProcess } from '../rows/new-process.ts'
import { changeProjected, DELETED, listNewValues, toPlannedChanges, withChanges, withoutNewIds } from './changes.ts'
import { createProjection, listNewIds, type Projection } from './projection.ts'
import { type ProjectedProcess, type ProjectedRecord, readWhole, saveProjected } from './store.ts'

type AnyPlan = Pick<UpdatePlan, 'entry' | 'record'> | CreatePlan

/** Decides the entries of a step as a run would, and stores what they would change. */
const previewWith =
  <Plan extends AnyPlan>(
    plan: (procedure: Procedure, entries: readonly StepEntry[]) => Plan[],
    decide: (
      scope: Scope,
      procedure: Procedure,
      plans: readonly Plan[],
      projection: Projection,
    ) => Promise<DecidedStep<Plan>>,
  ) =>
  ({ scope, procedure: reference, entries, commit }: Step): Promise<void> =>
    withProcedure(scope, reference, async procedure => {
      const plans = plan(procedure, entries)
      await writeStepWithRetry(plans.length, async () => {
        const projection = createProjection(scope, procedure)
        const decided = await decide(scope, procedure, plans, projection)
        const { outcomes, processes } = await previewDecided(scope, procedure, decided, projection)
        // Then each entry of the step is tried alone, as in a run, which finds the one to blame.
        if (plans.length > 1 && processes.some(({ data }) => isDocumentTooLarge(data)))
          throw new RangeError('a document would become too large')
        await commit({
          outcomes,
          statements: [guardDefinition(procedure)],
          forLater: saveProjected(scope, procedure, processes),
        })
      })
    })

export const previewUpdates = previewWith(planUpdates, decideUpdateStep)
export const previewCreates = previewWith(planCreates, decideCreateStep)
export const previewUpserts = previewWith(planUpserts, decideUpsertStep)

/** The customer to whom an entry gives its process. */
interface Customer {
  wanted: RequestedRecord
  rid: number | null
  /** Null if the customer would be new. */
  id: string | null
}

async function previewDecided<Plan extends AnyPlan>(
  scope: Scope,
  procedure: Procedure,
  { decided: { outcomes, made, passes, customers }, step, known }: DecidedStep<Plan>,
  { found }: Projection,
): Promise<{ outcomes: Outcome[]; processes: ProjectedProcess[] }> {
  const records = await planRecords(
    scope,
    customers.map(({ wanted }) => wanted),
    { known },
  )
  const byEntry = new Map(
    customers.map(({ entry, wanted, give }, nth): [number, Customer] => {
      const rid = records.rids[nth] ?? null
      give(rid)
      return [entry, { wanted, rid, id: rid === null ? null : (records.ids.get(rid) ?? null) }]
    }),
  )
  const rows = passes.flatMap(({ deletes, groups }) => [...deletes, ...groups.flatMap(group => group.rows)])
  const rowByEntry = new Map<number, RowUpdate | RowDelete>(rows.map(row => [row.entry, row]))
  const madeBy = new Map(made.map(process => [process.entry, process]))
  const processes = new Map(found)
  const read = [...new Set(rows.map(({ rid }) => rid))].filter(rid => !found.has(rid))
  for (const [rid, process] of await readWhole(scope, procedure, read)) processes.set(rid, process)
  const changed = new Set<ProjectedProcess>()
  const shown = step.slice(0, outcomes.length).map((plan, nth): Outcome => {
    const outcome = outcomes[nth] as Outcome
    const [row, created, customer] = [rowByEntry.get(plan.entry), madeBy.get(plan.entry), byEntry.get(plan.entry)]
    if (created) {
      const process = projectNew(scope, procedure, created, customer)
      processes.set(process.rid, process)
      changed.add(process)
      return withChanges(outcome, { version: null }, listNewValues(process))
    }
    if (!row) return outcome
    const process = processes.get(row.rid)
    // The process has changed since it was decided on.
    if (!process) throw new ProcessChanged()
    changed.add(process)
    return previewChange(process, plan, row, { outcome, customer })
  })
  const newIds = listNewIds(processes.values())
  return { outcomes: shown.map(outcome => withoutNewIds(outcome, newIds)), processes: [...changed] }
}

function previewChange(
  process: ProjectedProcess,
  plan: AnyPlan,
  row: RowUpdate | RowDelete,
  { outcome, customer }: { outcome: Outcome; customer: Customer | undefined },
): Outcome {
  const planned = toPlannedChanges(process)
  if (!('change' in row)) {
    process.deletedBy = plan.entry
    process.isOwn = true
    return withChanges(outcome, planned, [DELETED])
  }
  const sent = 'record' in plan ? plan.record : undefined
  const record =
    row.change.record === undefined
      ? undefined
      : sent && customer
        ? toProjectedRecord(process, customer, identifiesNobody(sent))
        : { record: null, rid: null }
  const changes = changeProjected(process, row.change, record)
  if (isDocumentTooLarge(process.data)) return toOutcome(tooLargeError('process', '/body/data'))
  return withChanges(outcome, planned, changes)
}

function toProjectedRecord(
  { record, recordRid }: Pick<ProjectedProcess, 'record' | 'recordRid'>,
  { wanted, rid, id }: Customer,
  isAboutOwn: boolean,
): { record: ProjectedRecord; rid: number | null } {
  if (id !== null) return { record: id, rid }
  // The entry adds to the customer whom an earlier entry would have created.
  if (record !== null && recordRid === null && isAboutOwn) return { record, rid: null }
  return { record: { isNew: true, data: wanted.data }, rid: null }
}

function projectNew(
  scope: Scope,
  procedure: Procedure,
  { id, change, record: rid }: CreatedProcess,
  customer: Customer | undefined,
): ProjectedProcess {
  const { set, record: _, ...process } = buildNewProcess(procedure, change, { ...scope, id, record: rid })
  const { record, rid: recordRid } = customer
    ? toProjectedRecord({ record: null, recordRid: null }, customer, false)
    : { record: null, rid: null }
  return { ...process, data: toStoredData(set), record, recordRid, isNew: true, isOwn: true }
}
