import type { Db } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import type { Scope } from '../../scope.ts'
import type { JobSettings } from '../settings.ts'

/** From this share on there is room for single requests only: a job can be as large as a million of them. */
export const BULK_SHARE_MAX = 0.85

type DatabaseSettings = Pick<JobSettings, 'databaseBytesMax'>

/** How much of what a database may hold is used, as its last round trip told. */
export const getUsedShare = ({ size }: Pick<Db, 'size'>, { databaseBytesMax }: DatabaseSettings): number =>
  size.bytes / databaseBytesMax

export function refuseBulkWhenNearlyFull({ db }: Pick<Scope, 'db'>, settings: DatabaseSettings): void {
  if (getUsedShare(db, settings) < BULK_SHARE_MAX) return
  // How full it is, and so what other teams store, is told to the operator alone.
  throw new AppError('storage_full', [
    {
      message: `the database is nearly full: bulk requests are refused from ${BULK_SHARE_MAX * 100} % on`,
      hint: 'nothing was changed; single requests still work, and the operator has to free space',
    },
  ])
}
