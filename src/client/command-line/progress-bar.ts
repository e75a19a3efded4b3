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

/** What there is to say besides the counts: that it waits, or is paused, and why. */
function noteOf({ statusMessage, completedAt }: Job): string | undefined {
  if (!statusMessage || completedAt !== 0) return undefined
  const [, reason] = /^(Paused: [\s\S]*\.) Of [\d,]+ entr/.exec(statusMessage) ?? []
  return reason ?? (statusMessage.startsWith('Waiting') ? statusMessage : undefined)
}

/** Elsewhere than on a terminal, a line for each tenth is enough. */
const STEPS = 10

export function progressOn(write: (text: string) => void, isTerminal: boolean): Progress {
  let step = -1
  let told: string | undefined
  const tell = (job: Job, begin = '', end = '') => {
    const note = noteOf(job)
    if (note !== undefined && note !== told) write(`${begin}${note}${end}\n`)
    told = note
  }
  if (isTerminal)
    return {
      show(job) {
        tell(job, '\r', '\u001b[K')
        write(`\r${barOf(job)}\u001b[K`)
      },
      end: () => write('\n'),
    }
  return {
    show(job) {
      tell(job)
      const next = job.total === 0 ? STEPS : Math.floor((doneOf(job) / job.total) * STEPS)
      if (next > step) write(`${progressOf(job)}\n`)
      step = Math.max(step, next)
    },
    end: () => {},
  }
}
