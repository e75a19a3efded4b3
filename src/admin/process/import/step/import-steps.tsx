import { useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import type { Targets } from 'import-file/columns'
import { formatEncoding } from 'import-file/encoding'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from '../../../parts/button.tsx'
import { Question } from '../../../parts/dialog.tsx'
import { Card } from '../../../parts/page.tsx'
import { FailureNote } from '../../../parts/states.tsx'
import { howMany } from '../../../parts/text/how-many.ts'
import { Spoken } from '../../../parts/text/spoken.tsx'
import { PROCESS_READS } from '../../process-reads.ts'
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
import { Checked } from './checked.tsx'
import { ImportOutcome } from './import-outcome.tsx'
import { Planned } from './planned.tsx'
import { ImportProgress } from './progress.tsx'

interface ImportStepsProps {
  plan: Plan
  /** The reason why nothing can be read yet. */
  fault: string | undefined
  /** The file has what was mended on this page. */
  isMended: boolean
  onFile: (file: File) => void
  onMended: (file: File) => void
  /** The columns and the first rows: shown until the file is sent. */
  children: ReactNode
}

type Step =
  | { name: 'columns' }
  | { name: 'checking'; share: number }
  | { name: 'checked'; result: CheckResult }
  | { name: 'planning'; result: CheckResult; state: ImportState }
  | { name: 'planned'; result: CheckResult; planned: PlannedImport }
  | { name: 'sending' | 'done'; result: CheckResult; state: ImportState; failure?: unknown }

const COLUMNS: Step = { name: 'columns' }
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
export function ImportSteps({ plan, fault, isMended, onFile, onMended, children }: ImportStepsProps) {
  const [known, setKnown] = useState<{ of: Targets; step: Step; failure?: unknown }>()
  // The result for a file is valid as long as its columns have the same targets.
  const { step, failure } = known?.of === plan.targets ? known : { step: COLUMNS, failure: undefined }
  const setStep = (next: Step, why?: unknown) => setKnown({ of: plan.targets, step: next, failure: why })
  const queries = useQueryClient()
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each file that was mended here
  useEffect(() => {
    if (isMended && fault === undefined) void check()
  }, [isMended, plan.csv])
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
      {!isSent && (step.name === 'columns' || !isMended) && children}
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
          onPlan={() => void lookAhead(step.result)}
          onSend={() => void send(step.result)}
          onMended={onMended}
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
          onMended={onMended}
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
          onMended={onMended}
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
