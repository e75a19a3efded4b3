import type { Job } from '../../client.ts'
import { formatNumber } from './terminal.ts'

const BAR_WIDTH = 30

const countDone = ({ counts, total }: Job): number => total - counts.NOT_STARTED - counts.IN_PROGRESS

export const countFailed = ({ counts }: Job): number => counts.ERROR + counts.INVALID

function getShare(job: Job): number {
  if (job.isCollecting) return 0
  return job.total === 0 ? 1 : countDone(job) / job.total
}

/** The progress of a job, in one line. */
export function formatProgress(job: Job): string {
  const done = countDone(job)
  const share = getShare(job)
  const failed = countFailed(job) === 0 ? '' : `, ${formatNumber(countFailed(job))} failed`
  const percent = `${Math.floor(share * 100)} %`.padStart(5)
  return `${percent}  ${formatNumber(done)} of ${formatNumber(job.total)}${failed}${formatEstimate(job)}`
}

/** What holds a job up; where one is to start later or is paused, its note says why. */
const LIMITS = {
  'team-share': ', waits until other jobs of the team have ended',
  'sender-pace': ', at the pace of the sender number',
  provider: ', the provider has put messages off',
  schedule: '',
  paused: '',
} as const satisfies Record<NonNullable<Job['progress']['limitedBy']>, string>

function formatEstimate(job: Job): string {
  const { etaAt, limitedBy } = job.progress
  if (job.completedAt !== 0 || countDone(job) === job.total) return ''
  const left = etaAt === null ? '' : `, about ${formatDuration(Math.max(0, etaAt - Date.now()))} left`
  return `${left}${limitedBy === null ? '' : LIMITS[limitedBy]}`
}

const [SECOND_MS, MINUTE_MS] = [1_000, 60_000]
const [MINUTE_SECONDS, HOUR_MINUTES] = [60, 60]

/** Rounded as people say it: "40 s", "3 min", "2 h 10 min". */
export function formatDuration(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / SECOND_MS))
  if (seconds < MINUTE_SECONDS) return `${seconds} s`
  const minutes = Math.round(ms / MINUTE_MS)
  if (minutes < HOUR_MINUTES) return `${minutes} min`
  const rest = minutes % HOUR_MINUTES
  return `${formatNumber(Math.floor(minutes / HOUR_MINUTES))} h${rest === 0 ? '' : ` ${rest} min`}`
}

export function formatProgressBar(job: Job): string {
  const filled = Math.floor(getShare(job) * BAR_WIDTH)
  return `[${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}] ${formatProgress(job)}`
}

interface Progress {
  show: (job: Job) => void
  end: () => void
}

/** The note beside the counts: that the job waits, is paused and why, or still finds its entries. */
function formatNote({ statusMessage, completedAt, isCollecting, ...job }: Job): string | undefined {
  if (!statusMessage || completedAt !== 0) return undefined
  if (isCollecting) return job.retryOf || job.applyOf || job.undoOf ? 'Reading the other job' : 'Finding what matches'
  const [, reason] = /^(Paused: [\s\S]*\.) Of [\d,]+ entr/.exec(statusMessage) ?? []
  return reason ?? (statusMessage.startsWith('Waiting') ? statusMessage : undefined)
}

/** Without a terminal, one line is printed for each tenth. */
const TENTHS = 10

export function createProgressReporter(write: (text: string) => void, isTerminal: boolean): Progress {
  let tenth = -1
  let printed: string | undefined
  const printNote = (job: Job, begin = '', end = '') => {
    const note = formatNote(job)
    if (note !== undefined && note !== printed) write(`${begin}${note}${end}\n`)
    printed = note
  }
  if (isTerminal)
    return {
      show(job) {
        printNote(job, '\r', '\u001b[K')
        write(`\r${formatProgressBar(job)}\u001b[K`)
      },
      end: () => write('\n'),
    }
  return {
    show(job) {
      printNote(job)
      const next = Math.floor(getShare(job) * TENTHS)
      if (next > tenth) write(`${formatProgress(job)}\n`)
      tenth = Math.max(tenth, next)
    },
    end: () => {},
  }
}
