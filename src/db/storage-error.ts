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

/** One round trip, made with care: reads are repeated after passing faults, and nothing waits beyond the deadline. */
export async function withRetry<T>(trip: () => Promise<T>, isRead: boolean, deadline: number, attempt = 1): Promise<T> {
  try {
    return await before(deadline, trip, isRead)
  } catch (error) {
    if (says(error, OVERLOADED)) throw new StorageError('the database is overloaded', true, error)
    if (says(error, ENDED)) throw new StorageError('the request took more than the database allows', isRead, error)
    if (says(error, FULL)) throw new StorageFullError(error)
    if (!says(error, PASSING)) throw error
    if (!isRead || attempt >= ATTEMPTS_MAX) throw new StorageError('the database cannot be reached', isRead, error)
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS * 2 ** attempt * (0.5 + Math.random())))
    return withRetry(trip, isRead, deadline, attempt + 1)
  }
}

async function before<T>(deadline: number, trip: () => Promise<T>, isRead: boolean): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<never>((_, reject) => {
    const late = () => reject(new StorageError('the database did not respond in time', isRead))
    timer = setTimeout(late, Math.max(0, deadline - Date.now()))
  })
  try {
    return await Promise.race([trip(), tooLate])
  } finally {
    if (timer !== undefined) clearTimeout(timer)
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
