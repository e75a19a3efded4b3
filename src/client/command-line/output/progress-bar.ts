import type { Job } from '../../client.ts'

const BAR_WIDTH = 30

const number = (value: number): string => value.toLocaleString('en-US')

const doneOf = ({ counts, total }: Job): number => total - counts.NOT_STARTED - counts.IN_PROGRESS

const failedOf = ({ counts }: Job): number => counts.ERROR + counts.INVALID

function shareOf(job: Job): number {
  if (job.isCollecting) return 0
  return job.total === 0 ? 1 : doneOf(job) / job.total
}

/** The progress of a job, in one line. */
export function progressOf(job: Job): string {
  const done = doneOf(job)
  const share = shareOf(job)
  const failed = failedOf(job) === 0 ? '' : `, ${number(failedOf(job))} failed`
  const percent = `${Math.floor(share * 100)} %`.padStart(5)
  return `${percent}  ${number(done)} of ${number(job.total)}${failed}`
}

export function barOf(job: Job): string {
  const filled = Math.floor(shareOf(job) * BAR_WIDTH)
  return `[${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}] ${progressOf(job)}`
}

export interface Progress {
  show: (job: Job) => void
  end: () => void
}

/** The note beside the counts: that the job waits, is paused and why, or still finds its entries. */
function noteOf({ statusMessage, completedAt, isCollecting }: Job): string | undefined {
  if (!statusMessage || completedAt !== 0) return undefined
  if (isCollecting) return 'Finding what matches'
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
      const next = Math.floor(shareOf(job) * TENTHS)
      if (next > tenth) write(`${progressOf(job)}\n`)
      tenth = Math.max(tenth, next)
    },
    end: () => {},
  }
}
