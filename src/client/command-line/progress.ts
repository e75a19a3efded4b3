import type { Job } from '../client.ts'

const BAR_WIDTH = 30

const number = (value: number): string => value.toLocaleString('en-US')

const doneOf = ({ counts, total }: Job): number => total - counts.NOT_STARTED - counts.IN_PROGRESS

const failedOf = ({ counts }: Job): number => counts.ERROR + counts.INVALID

/** How far a job is, in a line that fits beside others. */
export function progressOf(job: Job): string {
  const done = doneOf(job)
  const share = job.total === 0 ? 1 : done / job.total
  const failed = failedOf(job) === 0 ? '' : `, ${number(failedOf(job))} failed`
  const percent = `${Math.floor(share * 100)} %`.padStart(5)
  return `${percent}  ${number(done)} of ${number(job.total)}${failed}`
}

export function barOf(job: Job): string {
  const filled = Math.floor((job.total === 0 ? 1 : doneOf(job) / job.total) * BAR_WIDTH)
  return `[${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}] ${progressOf(job)}`
}

export interface Progress {
  show: (job: Job) => void
  end: () => void
}

/** Elsewhere than on a terminal, a line for each tenth is enough. */
const STEPS = 10

export function progressOn(write: (text: string) => void, isTerminal: boolean): Progress {
  let step = -1
  if (isTerminal) return { show: job => write(`\r${barOf(job)}\u001b[K`), end: () => write('\n') }
  return {
    show(job) {
      const next = job.total === 0 ? STEPS : Math.floor((doneOf(job) / job.total) * STEPS)
      if (next > step) write(`${progressOf(job)}\n`)
      step = Math.max(step, next)
    },
    end: () => {},
  }
}
