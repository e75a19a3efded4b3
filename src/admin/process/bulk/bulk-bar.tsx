import type { Procedure, Query } from 'caseworker'
import { useEffect, useRef, useState } from 'react'
import { useChange } from '../../api/change.ts'
import { useConfig, useMay } from '../../api/me.ts'
import { createFaultText } from '../../parts/attribute/fault-text.ts'
import { PlanDetails } from '../../parts/background-job/plan-details.tsx'
import { countChanging, formatChanging } from '../../parts/background-job/plan-text.ts'
import { usePlan } from '../../parts/background-job/use-plan.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Dialog, Question } from '../../parts/dialog.tsx'
import { FailureNote, Loaded } from '../../parts/states.tsx'
import { areSingleKeysOn } from '../../shell/shortcuts.ts'
import { isTyping } from '../../shell/typing.ts'
import { useReadAgain } from '../list/use-process-rows.ts'
import { AcceptedJob } from './accepted-job.tsx'
import { BulkChange } from './bulk-change.tsx'
import { type BulkProps, bulkPath, RequestDetails } from './request-details.tsx'
import {
  ALL_SELECTED,
  type BulkTarget,
  buildBulkBody,
  countChosen,
  NOTHING_SELECTED,
  SENT_BY_HAND_MAX,
  type Selection,
  toTarget,
  toTargetQuery,
} from './selection.ts'

interface BulkBarProps {
  procedure: Procedure
  where: Query | undefined
  selection: Selection
  /** The number of matches; undefined while they are counted, and with a search. */
  matching: number | undefined
  onSelect: (selection: Selection) => void
}

/** Offers the bulk actions on the selected rows, or on all matches of the filter. */
export function BulkBar({ procedure, where, selection, matching, onSelect }: BulkBarProps) {
  const may = useMay()
  const [openDialog, setOpenDialog] = useState<'change' | 'delete'>()
  const count = countChosen(selection, matching)
  const target = toTarget(selection, where)
  const readAgain = useReadAgain()
  const clear = () => onSelect(NOTHING_SELECTED)
  const finish = () => {
    clear()
    readAgain()
  }
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '.' || event.ctrlKey || event.metaKey || isTyping(event) || !areSingleKeysOn()) return
      event.preventDefault()
      first.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const shared = { procedure, target, count, onClose: () => setOpenDialog(undefined), onFinished: finish }
  return (
    <>
      <section
        aria-label="Selected processes"
        className="flex flex-wrap items-center gap-2 rounded-card border border-accent/40 bg-accent-soft px-3 py-2"
      >
        <b className="font-medium">{describeSelection(selection, count)}</b>
        {selection.kind === 'some' && matching !== undefined && matching > count && (
          <Button tone="quiet" onClick={() => onSelect(ALL_SELECTED)}>
            {`Select all ${matching.toLocaleString()}`}
          </Button>
        )}
        <span className="flex-1" />
        <Button ref={first} icon="edit" aria-keyshortcuts="." onClick={() => setOpenDialog('change')}>
          Change …
        </Button>
        <SendToTarget procedure={procedure} target={target} />
        {may('process:delete') && (
          <Button icon="trash" onClick={() => setOpenDialog('delete')}>
            Delete …
          </Button>
        )}
        <Button tone="quiet" icon="close" onClick={clear}>
          Clear
        </Button>
      </section>
      {openDialog === 'change' && <BulkChange {...shared} />}
      {openDialog === 'delete' && <BulkDelete {...shared} />}
    </>
  )
}

function describeSelection(selection: Selection, count: number): string {
  const many = count.toLocaleString()
  if (selection.kind === 'some') return `${many} selected`
  const { size } = selection.except
  return size === 0 ? `All ${many} that match` : `${many}: all that match but ${size}`
}

/** A template to those that are selected. */
function SendToTarget({ procedure: { shortId }, target }: { procedure: Procedure; target: BulkTarget }) {
  const may = useMay()
  const plugins = useConfig()?.plugins ?? []
  if (!may('message:send') || plugins.length === 0) return null
  const query = toTargetQuery(target)
  if (query === undefined)
    return (
      <Button
        icon="send"
        disabled
        title={`At most ${SENT_BY_HAND_MAX} that were selected by hand: for more, filter them and select all that match`}
      >
        Send …
      </Button>
    )
  return (
    <LinkButton
      icon="send"
      to="/procedure/$procedureShortId/send"
      params={{ procedureShortId: shortId }}
      search={query.where === undefined ? {} : { where: query.where }}
    >
      Send …
    </LinkButton>
  )
}

/** Larger numbers have to be typed as a confirmation. */
const TYPED_FROM = 20

function BulkDelete({ procedure, target, count, onClose, onFinished }: BulkProps) {
  const send = useChange('bulkUpdateProcesses', { rereads: ['listJobs'] })
  const tryOut = useChange('bulkUpdateProcesses', { rereads: ['listJobs'], showsFailure: true })
  const apply = useChange('applyJob', { rereads: ['listJobs'], showsFailure: true })
  const dryRun = tryOut.data?.data
  const plan = usePlan(dryRun?.id)
  const path = { procedureShortId: procedure.shortId }
  const body = buildBulkBody(target, { isDeleted: true })
  const going = plan.data ? countChanging([plan.data]) : count
  const many =
    going === 1
      ? 'a process'
      : plan.data
        ? formatChanging([plan.data], 'process', 'processes')
        : `${going.toLocaleString()} processes`
  const job = send.data?.data ?? apply.data?.data
  const failure = tryOut.error ?? apply.error
  if (job)
    return (
      <Dialog
        title="The job"
        isOpen
        onClose={onFinished}
        size="medium"
        footer={
          <Button tone="main" onClick={onFinished}>
            Close
          </Button>
        }
      >
        <AcceptedJob job={job} />
      </Dialog>
    )
  return (
    <Question
      title={`Delete ${many} of ${procedure.name}?`}
      confirm={`Delete ${many}`}
      isOpen
      isPending={send.isPending || apply.isPending}
      isDisabled={tryOut.isPending || (dryRun !== undefined && !plan.data) || going === 0}
      onClose={onClose}
      onConfirm={() => (dryRun ? apply.mutate({ path: { backgroundJobId: dryRun.id } }) : send.mutate({ path, body }))}
      {...(going >= TYPED_FROM ? { typed: String(going) } : {})}
    >
      <div className="flex flex-col items-start gap-2">
        <p>
          {dryRun
            ? 'Nothing has been deleted yet. What somebody changes before you do stays as it is. '
            : target.kind === 'all'
              ? 'All that match the filter when the job runs are deleted. '
              : 'Those that are selected are deleted. '}
          They stay in the trash for a while (90 days, if nothing else is set), and can be restored from there.
        </p>
        {dryRun ? (
          <Loaded query={plan} lines={4}>
            {known => <PlanDetails plans={[known]} procedure={procedure} words={createFaultText(procedure)} />}
          </Loaded>
        ) : (
          <Button isPending={tryOut.isPending} onClick={() => tryOut.mutate({ path, body, query: { dryRun: 'true' } })}>
            See what is deleted
          </Button>
        )}
        <RequestDetails path={bulkPath(procedure)} body={body} />
        {failure && <FailureNote error={failure} words={createFaultText(procedure)} />}
      </div>
    </Question>
  )
}
