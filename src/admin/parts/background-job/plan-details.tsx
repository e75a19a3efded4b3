import type { PlannedAction, PlannedEntry, Procedure } from 'caseworker'
import type { FaultText } from '../attribute/fault-text.ts'
import { Badge, type BadgeTone } from '../badge.tsx'
import { Go } from '../go.tsx'
import { fieldNamed } from '../process/fields.ts'
import { ShownValue } from '../process/shown-value.tsx'
import { howMany } from '../text/number-text.ts'
import { ChangeList } from '../timeline/change-list.tsx'
import { countChanging, formatPlanCounts, isCounted } from './plan-text.ts'
import type { CountedPlan } from './use-plan.ts'

interface PlanDetailsProps {
  /** The dry runs. A file that is larger than one job has several. */
  plans: readonly CountedPlan[]
  procedure: Procedure | undefined
  words: FaultText
  /** The page shows by itself why entries would fail. */
  hasFailures?: boolean
}

const SAMPLE_SHOWN = 10
const FAILURES_SHOWN = 10

/** Shows what a dry run would change: all counts, the first changes before and after, and why entries would fail. */
export function PlanDetails({ plans, procedure, words, hasFailures = false }: PlanDetailsProps) {
  const changing = countChanging(plans)
  const sample = plans.flatMap(({ plan }) => plan.sample).slice(0, SAMPLE_SHOWN)
  const reasons = plans.flatMap(({ plan }) =>
    plan.failures.flatMap(({ group, path, reasons }) => reasons.map(each => ({ ...each, group, path }))),
  )
  const failures = hasFailures ? [] : reasons.slice(0, FAILURES_SHOWN)
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="font-medium">
        {formatPlanCounts(plans)}
      </p>
      {failures.length > 0 && (
        <ul className="rounded-md bg-bad-soft px-3 py-2 text-[13px]">
          {failures.map(({ group, count, message, path }) => (
            <li key={`${group} ${message}`} className="flex gap-3 py-0.5">
              <b className="min-w-10 text-right font-semibold text-bad">{count.toLocaleString()}</b>
              <span className="min-w-0 break-words">{words({ message, ...(path === null ? {} : { path }) })}</span>
            </li>
          ))}
        </ul>
      )}
      {sample.length > 0 && (
        <ul aria-label="The first changes" className="flex flex-col divide-y divide-line">
          {sample.map(entry => (
            <PlannedRow key={`${entry.index} ${entry.primaryKey}`} entry={entry} procedure={procedure} />
          ))}
        </ul>
      )}
      {sample.length > 0 && changing > sample.length && (
        <p className="text-[13px] text-ink-2">{`And ${isCounted(plans) ? '' : 'at most '}${(changing - sample.length).toLocaleString()} more.`}</p>
      )}
    </div>
  )
}

const ACTIONS: Record<PlannedAction, { label: string; tone: BadgeTone }> = {
  create: { label: 'New', tone: 'good' },
  update: { label: 'Changed', tone: 'info' },
  same: { label: 'Same values', tone: 'plain' },
  delete: { label: 'Deleted', tone: 'bad' },
  restore: { label: 'Restored', tone: 'good' },
  send: { label: 'Message', tone: 'info' },
  none: { label: 'Unchanged', tone: 'plain' },
}

const MESSAGE_FIELDS: Record<string, string> = { recipient: 'To', text: 'Text' }

function PlannedRow({ entry, procedure }: { entry: PlannedEntry; procedure: Procedure | undefined }) {
  const { action, process, primaryKey, changes, more } = entry
  const name =
    primaryKey ?? (process === null ? `Entry ${(entry.index + 1).toLocaleString()}` : `…${process.slice(-8)}`)
  const shown = changes.filter(({ field }) => field !== 'isDeleted')
  return (
    <li className="py-2 first:pt-0 last:pb-0">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={ACTIONS[action ?? 'none'].tone}>{ACTIONS[action ?? 'none'].label}</Badge>
        {process !== null && procedure ? (
          <Go
            to={`/procedure/${encodeURIComponent(procedure.shortId)}/process/${process}`}
            className="font-medium hover:underline"
          >
            {name}
          </Go>
        ) : (
          <b className="font-medium">{name}</b>
        )}
      </p>
      {shown.length > 0 && (
        <ChangeList
          changes={shown}
          getLabel={field => MESSAGE_FIELDS[field] ?? (procedure ? fieldNamed(procedure, field).label : field)}
          shown={(field, value) => <PlannedValue procedure={procedure} field={field} value={value} />}
          isCreation={action === 'create' || action === 'send'}
        />
      )}
      {more > 0 && (
        <p className="mt-1 text-[13px] text-ink-2">{`And ${howMany(more, 'more field', 'more fields')}.`}</p>
      )}
    </li>
  )
}

interface PlannedValueProps {
  procedure: Procedure | undefined
  field: string
  value: unknown
}

function PlannedValue({ procedure, field, value }: PlannedValueProps) {
  if (value === null || value === undefined) return 'nothing'
  // A customer who would be new has no id yet.
  if (field === 'record' && typeof value === 'object' && value !== null) return 'a new customer'
  if (field in MESSAGE_FIELDS || !procedure) return <span className="whitespace-pre-wrap">{String(value)}</span>
  return <ShownValue procedure={procedure} path={field} value={value} />
}
