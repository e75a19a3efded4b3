import { StorageError } from '../../db/storage-error.ts'
import { AppError } from '../../errors.ts'
import type { EntryKind } from '../kind.ts'

/** Faults that come back however often the same thing is tried: of what was asked, or of our own making. */
export function isPermanent(error: unknown, kind: EntryKind): boolean {
  if (!(error instanceof Error) || kind.isStale?.(error)) return false
  return (
    kind.isConflict(error) || error instanceof TypeError || error instanceof RangeError || isRefusedByDatabase(error)
  )
}

/** What the database always refuses. */
const isRefusedByDatabase = ({ message }: Error): boolean =>
  /SQLITE_(ERROR|NOMEM|TOOBIG|CONSTRAINT|MISMATCH|RANGE)|too big|too long/.test(message)

/** The database ran out of memory or time over what it was asked, and not because of others. */
export const isTooMuchAtOnce = (error: unknown): boolean =>
  error instanceof StorageError &&
  error.cause instanceof Error &&
  /exceeded its (memory|CPU time) limit/.test(error.cause.message)

/** Our own words only: what a database says may hold values and SQL. */
export const failureReasonOf = (error: unknown, kind: EntryKind | undefined): AppError => {
  if (kind?.isConflict(error))
    return new AppError('conflict', 'the process is being changed by other requests; try again')
  const reason = error instanceof StorageError ? error.message : 'something went wrong on our side'
  return new AppError('internal_error', `it failed repeatedly: ${reason}`)
}
