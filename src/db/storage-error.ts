/** The database did not do its part: in time, or at all. Over HTTP a 503; in a queue, tried again later. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  /** False where a change was on its way: it may have taken effect. */
  readonly nothingChanged: boolean

  constructor(message: string, nothingChanged: boolean, cause?: unknown) {
    super(message, { cause })
    this.nothingChanged = nothingChanged
  }
}

/** There is no room for a change: it was undone. */
export class StorageFullError extends StorageError {
  constructor(cause: unknown) {
    super('the database is full', true, cause)
  }
}

/** One invocation of a Worker may not run as many statements: what is left needs another one. */
export class StatementBudgetError extends Error {
  override readonly name = 'StatementBudgetError'
}

const ATTEMPTS_MAX = 3
const PAUSE_MS = 40

/** Passing faults, by Cloudflare's own list: what was asked may be asked again, if asking twice does no harm. */
const PASSING = [
  'Network connection lost',
  'storage caused object to be reset',
  'reset because its code was updated',
  'Cannot resolve D1 DB due to transient issue',
]
/** Too much at once: it was not begun, and asking again now makes it worse. */
const OVERLOADED = ['overloaded']
/** D1 ended what took too much. It resets the database with it, so that nobody knows what was committed before. */
const ENDED = ['exceeded timeout', 'exceeded its memory limit', 'exceeded its CPU time limit']
const FULL = ['SQLITE_FULL', 'database or disk is full', 'Exceeded maximum DB size']

const says = (error: unknown, words: string[]): boolean =>
  error instanceof Error && words.some(word => error.message.includes(word))

/** How long a request still waits for the database. Only round trips use it up, not a slow upload between them. */
export interface TimeLimit {
  leftMs: number
}

/** One round trip: a read is repeated after a passing fault, and nothing waits longer than the time that is left. */
export async function withRetry<T>(
  trip: () => Promise<T>,
  isRead: boolean,
  timeLimit: TimeLimit,
  attempt = 1,
): Promise<T> {
  try {
    return await withTimeLimit(timeLimit, trip, isRead)
  } catch (error) {
    if (says(error, OVERLOADED)) throw new StorageError('the database is overloaded', true, error)
    if (says(error, ENDED)) throw new StorageError('the request took more than the database allows', isRead, error)
    if (says(error, FULL)) throw new StorageFullError(error)
    if (!says(error, PASSING)) throw error
    if (!isRead || attempt >= ATTEMPTS_MAX) throw new StorageError('the database cannot be reached', isRead, error)
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS * 2 ** attempt * (0.5 + Math.random())))
    return withRetry(trip, isRead, timeLimit, attempt + 1)
  }
}

async function withTimeLimit<T>(timeLimit: TimeLimit, trip: () => Promise<T>, isRead: boolean): Promise<T> {
  const tooLate = 'the database did not respond in time'
  if (timeLimit.leftMs <= 0) throw new StorageError(tooLate, true)
  const startedAt = Date.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new StorageError(tooLate, isRead)), timeLimit.leftMs)
  })
  try {
    return await Promise.race([trip(), expired])
  } finally {
    if (timer !== undefined) clearTimeout(timer)
    timeLimit.leftMs -= Math.max(0, Date.now() - startedAt)
  }
}

const READ_ONLY_CACHE_MAX = 1_000
const readOnlyByText = new Map<string, boolean>()

/** Whether a statement only reads, judged by its words. The same texts come again and again, so it is remembered. */
export function isReadOnly(text: string): boolean {
  const known = readOnlyByText.get(text)
  if (known !== undefined) return known
  const reads = /^\s*(select|with)\b/i.test(text) && !/\b(insert|update|delete|replace)\b/i.test(text)
  if (readOnlyByText.size >= READ_ONLY_CACHE_MAX) readOnlyByText.clear()
  readOnlyByText.set(text, reads)
  return reads
}
