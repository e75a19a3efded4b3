import type { Job } from '../../client.ts'

const BAR_WIDTH = 30

const number = (value: number): string => value.toLocaleString('en-US')

const doneOf = ({ counts, total }: Job): number => total - counts.NOT_STARTED - counts.IN_PROGRESS

const failedOf = ({ counts }: Job): number => counts.ERROR + counts.INVALID

/** The progress of a job, in one line. */
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

/** The note beside the counts: that the job waits or is paused, and why. */
function noteOf({ statusMessage, completedAt }: Job): string | undefined {
  if (!statusMessage || completedAt !== 0) return undefined
  const [, reason] = /^(Paused: [\s\S]*\.) Of [\d,]+ entr/.exec(statusMessage) ?? []
  return reason ?? (statusMessage.startsWith('Waiting') ? statusMessage : undefined)
}

/** Without a terminal, one line is printed for each tenth. */
const TENTHS = 10

export function progressReporter(write: (text: string) => void, isTerminal: boolean): Progress {
  let tenth = -1
  let printed: string | undefined
  const printNote = (job: Job, begin = '', end = '') => {
    const note = noteOf(job)
    if (note !== undefined && note !== printed) write(`${begin}${note}${end}\n`)
    printed = note
  }
  if (isTerminal)
    return {
      show(job) {
        printNote(job, '\r', '\u001b[K')
        write(`\r${barOf(job)}\u001b[K`)
      },
      end: () => write('\n'),
    }
  return {
    show(job) {
      printNote(job)
      const next = job.total === 0 ? TENTHS : Math.floor((doneOf(job) / job.total) * TENTHS)
      if (next > tenth) write(`${progressOf(job)}\n`)
      tenth = Math.max(tenth, next)
    },
    end: () => {},
  }
}
