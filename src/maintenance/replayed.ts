import { sql } from 'drizzle-orm'
import { type Statement, select, statement } from '../db/statement.ts'
import { maintenancePosition } from '../db/table.ts'

/** Under this name it is kept whether all that was erased before a restore is erased again. */
export const REPLAY = 'erase again'
export const REPLAYED = 'done'

export const selectReplayed = (): Statement<{ position: string }> =>
  select(
    { position: maintenancePosition.position },
    sql`FROM ${maintenancePosition} WHERE ${maintenancePosition.task} = ${REPLAY}`,
  )

/** Before a restore is gone through: the database may tell of an earlier one. */
export const forgetReplayed = (): Statement =>
  statement(sql`DELETE FROM ${maintenancePosition} WHERE ${maintenancePosition.task} = ${REPLAY}`)
