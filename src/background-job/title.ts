import type { JobRow } from './rules.ts'

/**
 * What a job does, in the words that its procedure, states, users and templates had when it was accepted. No value is in
 * it that a person chose freely: what an erasure has to find is not here.
 */
export interface JobTitle {
  /** What stands before the number of processes: "Assignee → Meera on". */
  does: string
  /** The name of the procedure, if all entries are about one. */
  procedure?: string
  /** A retry has corrected the entries since: not all is true of them any more that `does` says. */
  isCorrected?: true
}

/** A name is as long as its team made it. */
const DOES_LENGTH_MAX = 300
const TITLE_NAME_LENGTH_MAX = 40

export const shortenName = (name: string): string =>
  name.length > TITLE_NAME_LENGTH_MAX ? `${name.slice(0, TITLE_NAME_LENGTH_MAX - 1)}…`.toWellFormed() : name

/** As the job's row has it. */
export const encodeTitle = ({ does, procedure, isCorrected }: JobTitle): string =>
  JSON.stringify({
    does: does.slice(0, DOES_LENGTH_MAX).toWellFormed(),
    ...(procedure === undefined ? {} : { procedure: shortenName(procedure) }),
    ...(isCorrected ? { isCorrected } : {}),
  } satisfies JobTitle)

const UNDO = 'Undo: '
const REDO = 'Redo: '

/** The title of a job that takes back what another one did; to take back an undo is to do it again. */
export function encodeUndoTitle(title: string | null): string | null {
  if (title === null) return null
  const { does, ...rest } = JSON.parse(title) as JobTitle
  const said = does.startsWith(UNDO)
    ? REDO + does.slice(UNDO.length)
    : UNDO + (does.startsWith(REDO) ? does.slice(REDO.length) : does)
  return encodeTitle({ ...rest, does: said })
}

/** The title of a retry that corrects its entries. */
export const encodeCorrectedTitle = (title: string | null): string | null =>
  title === null ? null : encodeTitle({ ...(JSON.parse(title) as JobTitle), isCorrected: true })

const countWords = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`

/** What a job does, in a line. While its processes are still being found, nobody knows how many there are. */
export function formatTitle(
  job: Pick<JobRow, 'title' | 'total' | 'isDryRun' | 'retryOf'>,
  { isCollecting }: { isCollecting: boolean },
): string {
  const marks = `${job.isDryRun === 1 ? 'Dry run: ' : ''}${job.retryOf === null ? '' : 'Retry: '}`
  // A job of older code has none.
  const title = job.title ?? null
  if (title === null) return `${marks}${countWords(job.total, 'entry', 'entries')}`
  const { does, procedure, isCorrected } = JSON.parse(title) as JobTitle
  const processes = isCollecting ? 'processes' : countWords(job.total, 'process', 'processes')
  return `${marks}${does} ${processes}${procedure === undefined ? '' : ` of ${procedure}`}${isCorrected ? ', corrected' : ''}`
}
