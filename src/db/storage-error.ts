import { createCache } from '../cache.ts'
import { sleep } from '../timeout.ts'

/** The error of a database that failed or did not respond in time. Over HTTP it is a 503; in a queue the message is retried. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  /** False if a change was sent, because it may have taken effect. */
  readonly nothingChanged: boolean

  constructor(message: string, nothingChanged: boolean, cause?: unknown) {
    super(message, { cause })
    this.nothingChanged = nothingChanged
  }
}

/** Tells whether a change may have taken effect although it failed. Then nobody may be told, or act as if, nothing was changed. */
export const mayHaveTakenEffect = (error: unknown): boolean => error instanceof StorageError && !error.nothingChanged

/** The error of a full database. The change was rolled back. */
export class StorageFullError extends StorageError {
  constructor(cause: unknown) {
    super('the database is full', true, cause)
  }
}

/** The error of an invocation that has run as many statements as it may. The rest needs another one. */
export class StatementBudgetError extends Error {
  override readonly name = 'StatementBudgetError'
}

const ATTEMPTS_MAX = 3
const PAUSE_MS = 40

/** The messages of transient errors, from Cloudflare's list, after which a read is repeated. */
const TRANSIENT = [
  'Network connection lost',
  'storage caused object to be reset',
  'reset because its code was updated',
  'Cannot resolve D1 DB due to transient issue',
]
/** D1 is overloaded: the statement was not started, and a retry now would add to the load. */
const OVERLOADED = ['overloaded']
/** D1 stopped a statement that took too much, and reset the database: whether the change was committed is unknown. */
const STOPPED = ['exceeded timeout', 'exceeded its memory limit', 'exceeded its CPU time limit']
const FULL = ['SQLITE_FULL', 'database or disk is full', 'Exceeded maximum DB size']

/** Tells whether SQLite refused the statement or a value, or a guard failed: the transaction had no effect, and fails again as it is. */
export const isRefusedByDatabase = ({ message }: Error): boolean =>
  /SQLITE_(ERROR|NOMEM|TOOBIG|CONSTRAINT|MISMATCH|RANGE)|constraint failed|JSON path|parameter bindings|too big|too long/.test(
    message,
  )

/** Tells whether the database failed. Errors of D1 that its lists do not name count as well, because the lists are not complete. */
const isDatabaseFault = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('D1_ERROR') && !isRefusedByDatabase(error)

const hasMessage = (error: unknown, words: string[]): boolean =>
  error instanceof Error && words.some(word => error.message.includes(word))

/** The time for which a request still waits for the database. Only round trips count, not a slow upload between them. */
export interface TimeLimit {
  leftMs: number
}

/** Makes one round trip. A read is repeated after a transient error, and nothing waits longer than the time that is left. */
export async function withRetry<T>(
  trip: () => Promise<T>,
  isRead: boolean,
  timeLimit: TimeLimit,
  attempt = 1,
): Promise<T> {
  try {
    return await withTimeLimit(timeLimit, trip, isRead)
  } catch (error) {
    if (hasMessage(error, OVERLOADED)) throw new StorageError('the database is overloaded', true, error)
    if (hasMessage(error, STOPPED))
      throw new StorageError('the request took more than the database allows', isRead, error)
    if (hasMessage(error, FULL)) throw new StorageFullError(error)
    if (!hasMessage(error, TRANSIENT))
      throw isDatabaseFault(error) ? new StorageError('the database failed', isRead, error) : error
    if (!isRead || attempt >= ATTEMPTS_MAX) throw new StorageError('the database cannot be reached', isRead, error)
    await sleep(PAUSE_MS * 2 ** attempt * (0.5 + Math.random()))
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

/** The bytes of the cache. Its texts depend on filters, which callers write, and have up to 60 KB. */
const READ_ONLY_BYTES_MAX = 2_000_000
const readOnlyByText = createCache<boolean>(READ_ONLY_BYTES_MAX, () => 0)

/** Tells whether a statement only reads, judged by its words. The same texts come again and again, so the result is cached. */
export function isReadOnly(text: string): boolean {
  const known = readOnlyByText.get(text)
  if (known !== undefined) return known
  const reads = /^\s*(select|with)\b/i.test(text) && !/\b(insert|update|delete|replace\s+into)\b/i.test(text)
  readOnlyByText.set(text, reads)
  return reads
}
