import { useQuery } from '@tanstack/react-query'
import type { Procedure, UpdateProcessByIdBody } from 'caseworker'
import { useMemo, useState } from 'react'
import { useChange } from '../../api/change.ts'
import { useConfig, useMay } from '../../api/me.ts'
import { getStateName, statesAfter } from '../../api/procedure.ts'
import { createFaultText } from '../../parts/attribute/fault-text.ts'
import { PlanDetails } from '../../parts/background-job/plan-details.tsx'
import { countChanging, formatChanging } from '../../parts/background-job/plan-text.ts'
import { usePlan } from '../../parts/background-job/use-plan.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Checkbox, Select } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { FailureNote, Loaded } from '../../parts/states.tsx'
import type { FilterField } from '../filter/fields.ts'
import type { RuleValue } from '../filter/filter-tree.ts'
import { RuleValues } from '../filter/rule-values.tsx'
import { stateCountsQuery } from '../list/count.ts'
import { AcceptedJob } from './accepted-job.tsx'
import { buildUpdate, changeableFields, type FieldChange } from './field-changes.ts'
import { type BulkProps, bulkPath, RequestDetails } from './request-details.tsx'
import { type BulkTarget, buildBulkBody } from './selection.ts'

/** Guides through a bulk change: the update, its preview with the request, an optional dry run, then the job. */
export function BulkChange({ procedure, target, count, onClose, onFinished }: BulkProps) {
  const users = useConfig()?.users
  const may = useMay()
  const fields = useMemo(() => changeableFields(procedure, users ?? []), [procedure, users])
  const [changes, setChanges] = useState<readonly FieldChange[]>([{ field: 'state', value: undefined }])
  const send = useChange('bulkUpdateProcesses', { rereads: ['listJobs'], showsFailure: true })
  const tryOut = useChange('bulkUpdateProcesses', { rereads: ['listJobs'], showsFailure: true })
  const apply = useChange('applyJob', { rereads: ['listJobs'], showsFailure: true })
  const dryRun = tryOut.data?.data
  const plan = usePlan(dryRun?.id)
  const update = buildUpdate(changes)
  const body = buildBulkBody(target, update)
  const taken = changes.map(({ field }) => field)
  const free = fields.find(({ id }) => !taken.includes(id))
  const isFinished = Object.keys(update).length > 0 && changes.every(({ value }) => value !== undefined)
  const many = count === 1 ? 'a process' : `${count.toLocaleString()} processes`
  const job = send.data?.data ?? apply.data?.data
  const path = { procedureShortId: procedure.shortId }
  if (dryRun && !job) {
    const changing = plan.data && countChanging([plan.data])
    return (
      <Dialog
        title={`What would change in ${procedure.name}`}
        isOpen
        isPending={apply.isPending}
        onClose={onClose}
        size="medium"
        footer={
          <>
            <Button
              disabled={apply.isPending}
              onClick={() => {
                tryOut.reset()
                apply.reset()
              }}
            >
              Back
            </Button>
            <Button
              tone="main"
              isPending={apply.isPending}
              disabled={!changing}
              onClick={() => apply.mutate({ path: { backgroundJobId: dryRun.id } })}
            >
              {changing && plan.data ? `Change ${formatChanging([plan.data], 'process', 'processes')}` : 'Change'}
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-3">
          <Loaded query={plan} lines={4}>
            {known => <PlanDetails plans={[known]} procedure={procedure} words={createFaultText(procedure)} />}
          </Loaded>
          <p className="text-[13px] text-ink-2">
            Nothing has been changed yet. What somebody changes before you do stays as it is.
          </p>
          {apply.error && <FailureNote error={apply.error} />}
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog
      title={job ? 'The job' : `Change ${many} of ${procedure.name}`}
      isOpen
      isPending={send.isPending}
      onClose={job ? onFinished : onClose}
      size="medium"
      footer={
        job ? (
          <Button tone="main" onClick={onFinished}>
            Close
          </Button>
        ) : (
          <>
            <Button disabled={send.isPending} onClick={onClose}>
              Cancel
            </Button>
            {may('job:write') && (
              <Button
                isPending={tryOut.isPending}
                disabled={!isFinished || send.isPending}
                onClick={() => tryOut.mutate({ path, body, query: { dryRun: 'true' } })}
              >
                See what changes
              </Button>
            )}
            <Button
              tone="main"
              isPending={send.isPending}
              disabled={!isFinished || tryOut.isPending}
              onClick={() => send.mutate({ path, body })}
            >
              {`Change ${many}`}
            </Button>
          </>
        )
      }
    >
      {job ? (
        <AcceptedJob job={job} />
      ) : (
        <div className="flex flex-col gap-3">
          {changes.map((change, nth) => (
            <ChangedField
              key={change.field}
              change={change}
              fields={fields}
              taken={taken}
              onChange={next => setChanges(changes.with(nth, next))}
              onRemove={changes.length > 1 ? () => setChanges(changes.toSpliced(nth, 1)) : undefined}
            />
          ))}
          {free && (
            <Button
              tone="quiet"
              icon="plus"
              className="self-start"
              onClick={() => setChanges([...changes, { field: free.id, value: undefined }])}
            >
              Another field
            </Button>
          )}
          <BulkPreview procedure={procedure} target={target} count={count} update={update} />
          <RequestDetails path={bulkPath(procedure)} body={body} />
          {(send.error ?? tryOut.error) && (
            <FailureNote error={send.error ?? tryOut.error} words={createFaultText(procedure)} />
          )}
        </div>
      )}
    </Dialog>
  )
}

interface ChangedFieldProps {
  change: FieldChange
  fields: readonly FilterField[]
  /** The fields that other lines change already. */
  taken: readonly string[]
  onChange: (change: FieldChange) => void
  onRemove?: (() => void) | undefined
}

function ChangedField({ change, fields, taken, onChange, onRemove }: ChangedFieldProps) {
  const field = fields.find(({ id }) => id === change.field)
  if (!field) return null
  const { value } = change
  const setValue = (next: RuleValue | undefined) => onChange({ ...change, value: next })
  return (
    <div className="grid grid-cols-[1fr_auto] items-center gap-2 sm:grid-cols-[minmax(8rem,12rem)_1fr_auto_2rem]">
      <Select
        aria-label="Field to change"
        value={change.field}
        onChange={({ target }) => onChange({ field: target.value, value: undefined })}
        options={fields
          .filter(({ id }) => id === change.field || !taken.includes(id))
          .map(({ id, label }) => ({ value: id, label }))}
      />
      <div className="max-sm:col-span-2 max-sm:row-start-2">
        {value === null ? (
          <span className="text-ink-2">nothing: it is emptied</span>
        ) : field.choices ? (
          <Select
            aria-label={`New value of ${field.label}`}
            value={value === undefined ? '' : String(value)}
            onChange={({ target }) =>
              setValue(target.value === '' ? undefined : field.isNumeric ? Number(target.value) : target.value)
            }
            options={[{ value: '', label: 'Choose …' }, ...field.choices]}
          />
        ) : (
          <RuleValues
            field={field}
            operator="="
            mayBeRelative={false}
            values={value === undefined ? [] : [value]}
            onChange={([next]) => setValue(next)}
          />
        )}
      </div>
      {field.mayBeUnset ? (
        <Checkbox
          label="Empty it"
          className="text-[13px] whitespace-nowrap max-sm:row-start-3"
          checked={value === null}
          onChange={({ target }) => setValue(target.checked ? null : undefined)}
        />
      ) : (
        <span />
      )}
      {onRemove && <IconButton label={`Do not change ${field.label}`} icon="close" onClick={onRemove} />}
    </div>
  )
}

interface BulkPreviewProps {
  procedure: Procedure
  target: BulkTarget
  count: number
  update: UpdateProcessByIdBody
}

/**
 * Shows the extent of the change: the number of processes, and of those that the definition does not allow into the new
 * state.
 */
function BulkPreview({ procedure, target, count, update }: BulkPreviewProps) {
  const state = update.state ?? (update.status === 'COMPLETED' ? procedure.completedState : undefined)
  const where = target.kind === 'all' ? target.where : undefined
  const counted = useQuery({
    ...stateCountsQuery(procedure.shortId, where),
    enabled: target.kind === 'all' && state !== undefined,
  })
  const states = target.kind === 'all' ? counted.data : countStates(target.processes.map(each => each.state))
  const refused =
    state === undefined || !states
      ? []
      : Object.entries(states).filter(([from]) => from !== state && !statesAfter(procedure, from).includes(state))
  const refusedCount = refused.reduce((sum, [, each]) => sum + each, 0)
  return (
    <div role="status" className="flex flex-col gap-1 rounded-md bg-sunken p-3 text-[13px]">
      <p>
        <b className="font-medium">{count.toLocaleString()}</b>{' '}
        {target.kind === 'all' ? 'match now. Those that match when the job runs are changed.' : 'are selected.'}
      </p>
      {state !== undefined && !states && <p className="text-ink-2">Counting by state …</p>}
      {refusedCount > 0 && state !== undefined && (
        <p className="flex items-start gap-1.5">
          <Icon name="alert" className="mt-0.5 text-warn" />
          <span>
            {`${refusedCount.toLocaleString()} will be refused, because they may not become ${getStateName(procedure, state)}: `}
            {refused.map(([from, each]) => `${getStateName(procedure, from)} ${each.toLocaleString()}`).join(', ')}
          </span>
        </p>
      )}
      {state !== undefined && states && refusedCount === 0 && (
        <p className="text-ink-2">{`All of them may become ${getStateName(procedure, state)}.`}</p>
      )}
    </div>
  )
}

function countStates(states: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const state of states) counts[state] = (counts[state] ?? 0) + 1
  return counts
}
