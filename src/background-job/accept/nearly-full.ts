import { AppError } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import type { JobSettings } from '../settings.ts'

/** From this share on there is room for single requests only: a job can be as large as a hundred thousand of them. */
export const BULK_SHARE_MAX = 0.85

export function refuseBulkWhenNearlyFull(
  { db }: Pick<Scope, 'db'>,
  { databaseBytesMax }: Pick<JobSettings, 'databaseBytesMax'>,
): void {
  const share = db.size.bytes / databaseBytesMax
  if (share < BULK_SHARE_MAX) return
  throw new AppError('storage_full', [
    {
      message: `the database is ${Math.floor(share * 100)} % full: bulk requests are refused from ${BULK_SHARE_MAX * 100} % on`,
      hint: 'nothing was changed; single requests still work, and the operator has to free space',
    },
  ])
}
