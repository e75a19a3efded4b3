import { Link } from '@tanstack/react-router'
import type { EntryCounts } from 'caseworker'
import { Bar, Legend, type Part } from '../../../parts/chart.tsx'
import { Card } from '../../../parts/page.tsx'
import { Spoken } from '../../../parts/text/spoken.tsx'
import type { ImportState } from '../run.ts'

interface ImportProgressProps {
  state: ImportState
  /** The rows that are sent. */
  total: number
  isOver: boolean
  /** True if it has failed midway: the rest of the file was not sent. */
  isBroken: boolean
}

const sum = (jobs: ImportState['jobs'], status: keyof EntryCounts): number =>
  jobs.reduce((all, { counts }) => all + counts[status], 0)

const NO_JOB = { begun: 'Sending the rows …', broken: 'No job is known to have been created.' }

/** Shows the progress of all jobs as one bar; each has a page. */
export function ImportProgress({ state: { jobs }, total, isOver, isBroken }: ImportProgressProps) {
  const [done, failed, cancelled] = [
    sum(jobs, 'SUCCESS'),
    sum(jobs, 'ERROR') + sum(jobs, 'INVALID'),
    sum(jobs, 'CANCELLED'),
  ]
  const rest = Math.max(0, total - done - failed - cancelled)
  const parts: Part[] = [
    { label: 'Done', value: done, color: 'good' },
    { label: 'Failed', value: failed, color: 'bad' },
    ...(cancelled > 0 ? [{ label: 'Cancelled', value: cancelled, color: 'plain' } as const] : []),
    ...(isOver && !isBroken
      ? []
      : [{ label: isBroken ? 'Not sent, or not known' : 'Waiting', value: rest, color: 'plain' } as const]),
  ]
  const onTheirPages =
    !isOver || done === 0 ? '' : jobs.length === 1 ? ', whose page can undo it' : ', whose pages can undo them'
  const title = isBroken ? 'The import has stopped' : isOver ? 'Imported' : 'Importing …'
  return (
    <Card title={title}>
      <div className="flex flex-col gap-3">
        <Spoken
          text={`${title}: ${done.toLocaleString()} of ${total.toLocaleString()} done, ${failed.toLocaleString()} failed`}
          isLast={isOver || isBroken}
        />
        <Bar label="Rows" total={Math.max(total, 1)} parts={parts} />
        <Legend parts={parts} />
        <p className="flex flex-wrap gap-x-3 text-[13px] text-ink-2">
          {jobs.length === 0
            ? NO_JOB[isBroken ? 'broken' : 'begun']
            : jobs.length === 1
              ? `As a job${onTheirPages}:`
              : `As ${jobs.length} jobs${onTheirPages}:`}
          {jobs.map(({ id }, nth) => (
            <Link
              key={id}
              to="/background-job/$jobId"
              params={{ jobId: id }}
              className="underline decoration-line-strong underline-offset-2 hover:decoration-current"
            >
              {jobs.length === 1 ? `…${id.slice(-8)}` : nth + 1}
            </Link>
          ))}
        </p>
        {isBroken && (
          <p className="text-[13px] text-warn">
            Jobs that were accepted go on. The last rows may have been accepted without an answer: look into the{' '}
            <Link to="/background-job" className="underline">
              list of jobs
            </Link>{' '}
            before the file is imported again, as rows that were created already would be created twice if nothing tells
            them apart.
          </p>
        )}
      </div>
    </Card>
  )
}
