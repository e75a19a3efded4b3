import { useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { formatEmptyRows } from 'import-file/csv'
import { formatEncoding } from 'import-file/encoding'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useMay } from '../../../api/me.ts'
import { createFaultText } from '../../../parts/attribute/fault-text.ts'
import { PlanDetails } from '../../../parts/background-job/plan-details.tsx'
import { countChanging, formatChanging } from '../../../parts/background-job/plan-text.ts'
import { Button, LinkButton } from '../../../parts/button.tsx'
import { Question } from '../../../parts/dialog.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Card } from '../../../parts/page.tsx'
import { FailureNote } from '../../../parts/states.tsx'
import { howMany } from '../../../parts/text/number-text.ts'
import { Spoken } from '../../../parts/text/spoken.tsx'
import { toListLink } from '../../process-link.tsx'
import { PROCESS_READS } from '../../process-reads.ts'
import type { Choice } from '../choice.ts'
import { ChooseFile } from '../choose-file.tsx'
import { CORRECTED_HERE_ROWS_MAX, CorrectionTable } from '../correction-table.tsx'
import type { Plan } from '../reading.ts'
import {
  applyPlannedImport,
  type CheckResult,
  checkFile,
  type ImportState,
  importFile,
  type PlannedImport,
  planFile,
} from '../run.ts'
import { Arrival } from './arrival.tsx'
import { type ChoiceStep, COLUMNS, recallStep, type Step } from './choice-step.ts'
import { FailuresCard } from './failures-card.tsx'
import { ImportProgress } from './progress.tsx'

interface ImportStepsProps {
  choice: Choice
  plan: Plan
  /** The reason why nothing can be read yet. */
  fault: string | undefined
  /** The file has what was corrected on this page. */
  isCorrected: boolean
  onFile: (file: File) => void
  onCorrected: (file: File) => void
  /** Told while the file is sent: what would end that is not offered. */
  onSending: (isSending: boolean) => void
  /** The columns and the first rows: shown until the file is sent. */
  children: ReactNode
}

const fileSize = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`

/** Shows the progress of the dry run. */
function PlanProgress({ state: { jobs }, total }: { state: ImportState; total: number }) {
  const done = jobs.reduce((all, { counts }) => all + counts.SUCCESS + counts.ERROR + counts.INVALID, 0)
  const text = `Finding out what would change: ${done.toLocaleString()} of ${howMany(total, 'row', 'rows')}`
  return (
    <Card>
      <Spoken text={text} isLast={false} />
      <p>{text}</p>
    </Card>
  )
}

/** First the check of the whole file, which changes nothing; a dry run, if it is wanted; then the jobs; then what failed. */
export function ImportSteps({
  choice,
  plan,
  fault,
  isCorrected,
  onFile,
  onCorrected,
  onSending,
  children,
}: ImportStepsProps) {
  const [known, setKnown] = useState<ChoiceStep>()
  const { step, failure } = recallStep(known, choice)
  const setStep = (next: Step, why?: unknown) => setKnown({ of: choice, step: next, failure: why })
  const queries = useQueryClient()
  const may = useMay()
  const left = useRef<AbortController>(undefined)
  useEffect(() => () => left.current?.abort(), [])
  const { file } = plan.csv
  const begin = () => {
    left.current?.abort()
    left.current = new AbortController()
    return left.current.signal
  }
  const check = async () => {
    const signal = begin()
    setStep({ name: 'checking', share: 0 })
    try {
      const result = await checkFile(plan, signal, share => !signal.aborted && setStep({ name: 'checking', share }))
      setStep({ name: 'checked', result })
    } catch (error) {
      if (signal.aborted) return
      setStep(COLUMNS, error)
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each file that was corrected here
  useEffect(() => {
    if (isCorrected && fault === undefined) void check()
  }, [isCorrected, plan.csv])
  const lookAhead = async (result: CheckResult) => {
    const signal = begin()
    setStep({ name: 'planning', result, state: { jobs: [], failures: new Map() } })
    try {
      const show = (state: ImportState) => setStep({ name: 'planning', result, state })
      setStep({ name: 'planned', result, planned: await planFile(plan, signal, show) })
    } catch (error) {
      if (!signal.aborted) setStep({ name: 'checked', result }, error)
    }
    await queries.invalidateQueries({ queryKey: ['listJobs'] })
  }
  const send = async (result: CheckResult, planned?: PlannedImport) => {
    const signal = begin()
    let state: ImportState = { jobs: [], failures: new Map() }
    setStep({ name: 'sending', result, state })
    onSending(true)
    const show = (now: ImportState) => {
      state = now
      setStep({ name: 'sending', result, state: now })
    }
    try {
      state = planned ? await applyPlannedImport(planned, signal, show) : await importFile(plan, signal, show)
      setStep({ name: 'done', result, state })
    } catch (error) {
      if (!signal.aborted) setStep({ name: 'done', result, state, failure: error })
    }
    onSending(false)
    await Promise.all([...PROCESS_READS, 'listJobs'].map(each => queries.invalidateQueries({ queryKey: [each] })))
  }
  const blocker = useBlocker({
    shouldBlockFn: () => step.name === 'sending',
    enableBeforeUnload: () => step.name === 'sending',
    withResolver: true,
  })
  const isSent = step.name === 'sending' || step.name === 'done'
  return (
    <>
      <Arrival key={`${file.name} ${file.lastModified}`} label={`The file ${file.name}`} isTop>
        <p className="text-ink-2">
          <b className="font-medium text-ink">{file.name}</b> · {fileSize(file.size)}
          {plan.csv.encoding !== undefined &&
            plan.csv.encoding !== 'utf-8' &&
            ` · read as ${formatEncoding(plan.csv.encoding)}: look whether its letters are right`}
        </p>
      </Arrival>
      {failure !== undefined && <FailureNote error={failure} />}
      {!isSent && (step.name === 'columns' || !isCorrected) && children}
      {step.name === 'columns' && (
        <div className="flex flex-wrap items-center gap-3">
          <Button tone="main" icon="check" disabled={fault !== undefined} onClick={() => void check()}>
            Check the whole file
          </Button>
          <span className={fault === undefined ? 'text-[13px] text-ink-2' : 'text-warn'}>
            {fault ?? 'Nothing is changed by the check.'}
          </span>
        </div>
      )}
      {step.name === 'checking' && (
        <Card>
          <Spoken text={`Checking … ${Math.round(100 * step.share)} %`} isLast={false} />
          <p>Checking … {Math.round(100 * step.share)} %</p>
        </Card>
      )}
      {step.name === 'checked' && (
        <Checked
          plan={plan}
          result={step.result}
          onPlan={may('job:write') ? () => void lookAhead(step.result) : undefined}
          onSend={() => void send(step.result)}
          onCorrected={onCorrected}
        />
      )}
      {step.name === 'planning' && (
        <Arrival label="The dry run">
          <PlanProgress state={step.state} total={step.result.rows - step.result.failures.size} />
        </Arrival>
      )}
      {step.name === 'planned' && (
        <Planned
          plan={plan}
          planned={step.planned}
          onApply={() => void send(step.result, step.planned)}
          onCorrected={onCorrected}
        />
      )}
      {isSent && (
        <>
          <Arrival label="The import">
            <ImportProgress
              state={step.state}
              total={step.result.rows - step.result.failures.size}
              isOver={step.name === 'done'}
              isBroken={step.failure !== undefined}
            />
          </Arrival>
          {step.failure !== undefined && <FailureNote error={step.failure} />}
        </>
      )}
      {step.name === 'done' && (
        <ImportOutcome
          plan={plan}
          state={step.state}
          onFile={onFile}
          onCorrected={onCorrected}
          isWhole={step.failure === undefined}
        />
      )}
      {blocker.status === 'blocked' && (
        <Question
          title="Leave while it is imported?"
          confirm="Leave"
          keep="Stay"
          isOpen
          onClose={() => blocker.reset()}
          onConfirm={() => blocker.proceed()}
        >
          What was sent goes on as a job. The rest of the file is not sent, and what fails is only shown on the page of
          the job.
        </Question>
      )}
    </>
  )
}

interface CheckedProps {
  plan: Plan
  result: CheckResult
  /** None: who may not apply a job makes no dry run of it. */
  onPlan: (() => void) | undefined
  onSend: () => void
  onCorrected: (file: File) => void
}

/** Shows the rows that can be imported, and those that cannot and why. */
function Checked({ plan, result, onPlan, onSend, onCorrected }: CheckedProps) {
  const { rows, empty, failures, warnings } = result
  const good = rows - failures.size
  return (
    <>
      <Arrival label={`The check: ${good.toLocaleString()} of ${howMany(rows, 'row', 'rows')} can be imported`}>
        <Card title="The check">
          <div className="flex flex-col gap-3">
            <p>
              {good.toLocaleString()} of {howMany(rows, 'row', 'rows')} can be imported
              {failures.size > 0 && <span className="text-bad">, {failures.size.toLocaleString()} cannot</span>}.
            </p>
            {empty > 0 && <p className="text-[13px] text-ink-2">{formatEmptyRows(empty)}.</p>}
            {warnings.map(warning => (
              <p key={warning} className="rounded-md bg-warn-soft px-3 py-2 text-[13px]">
                {warning}. They are imported all the same.
              </p>
            ))}
            <p className="text-[13px] text-ink-2">
              This is by the definition of {plan.procedure.name}. What exists already, and which state may follow,{' '}
              {onPlan
                ? '“See what changes” finds out, with each value before and after.'
                : 'is found out by the import.'}{' '}
              A row that can’t be imported does not stop the others, and can be corrected here afterwards.
            </p>
            <div className="flex flex-wrap gap-2">
              {onPlan && (
                <Button icon="search" disabled={good === 0} onClick={onPlan}>
                  See what changes
                </Button>
              )}
              <Button tone="main" icon="upload" disabled={good === 0} onClick={onSend}>
                Import {howMany(good, 'row', 'rows')}
              </Button>
            </div>
          </div>
        </Card>
      </Arrival>
      {failures.size > 0 && <FailuresCard plan={plan} failures={failures} title="What can’t be imported" />}
      {good === 0 && failures.size > 0 && failures.size <= CORRECTED_HERE_ROWS_MAX && (
        <CorrectionTable plan={plan} failures={failures} onCorrected={onCorrected} />
      )}
    </>
  )
}

interface PlannedProps {
  plan: Plan
  planned: PlannedImport
  onApply: () => void
  onCorrected: (file: File) => void
}

/**
 * Shows what the whole file would change, before and after, and which rows would fail and why. Nothing is changed yet.
 */
function Planned({ plan, planned, onApply, onCorrected }: PlannedProps) {
  const { plans, failures } = planned
  const changing = countChanging(plans)
  const isCancelled = plans.some(({ plan: each }) => each.job.completionStatus === 'CANCELLED')
  return (
    <>
      <Arrival label="What would change">
        <Card title="What would change">
          <div className="flex flex-col gap-3">
            <PlanDetails
              plans={plans}
              procedure={plan.procedure}
              words={createFaultText(plan.procedure)}
              hasFailures={failures.size > 0}
            />
            <p className="text-[13px] text-ink-2">
              Nothing has been changed yet. What somebody changes before you do stays as it is.
            </p>
            <div>
              <Button tone="main" icon="upload" disabled={changing === 0 || isCancelled} onClick={onApply}>
                {changing === 0 ? 'Import' : `Import ${formatChanging(plans, 'row', 'rows')}`}
              </Button>
            </div>
          </div>
        </Card>
      </Arrival>
      {failures.size > 0 && <FailuresCard plan={plan} failures={failures} title="What would fail" />}
      {changing === 0 && failures.size > 0 && failures.size <= CORRECTED_HERE_ROWS_MAX && (
        <CorrectionTable plan={plan} failures={failures} onCorrected={onCorrected} />
      )}
    </>
  )
}

interface ImportOutcomeProps {
  plan: Plan
  state: ImportState
  isWhole: boolean
  onFile: (file: File) => void
  onCorrected: (file: File) => void
}

/** Shows the outcome of the jobs: all rows are imported, or some have to be corrected. */
function ImportOutcome({ plan, state: { failures }, isWhole, onFile, onCorrected }: ImportOutcomeProps) {
  const { label, ...list } = toListLink(plan.procedure)
  const onward = (
    <LinkButton icon="list" {...list}>
      See the processes of {label}
    </LinkButton>
  )
  if (failures.size === 0)
    return isWhole ? (
      <div className="flex flex-wrap items-center gap-4">
        <p role="status" className="flex items-center gap-2 font-medium">
          <Icon name="check" className="text-good" /> All rows are imported.
        </p>
        {onward}
      </div>
    ) : null
  return (
    <>
      <div>{onward}</div>
      <FailuresCard plan={plan} failures={failures} title={`${howMany(failures.size, 'row', 'rows')} to correct`} />
      {failures.size <= CORRECTED_HERE_ROWS_MAX && (
        <CorrectionTable plan={plan} failures={failures} onCorrected={onCorrected} />
      )}
      <ChooseFile title="Bring the corrected file back" onFile={onFile} />
    </>
  )
}
