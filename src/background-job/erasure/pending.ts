import { sql } from 'drizzle-orm'
import { guard, isGuardFailure } from '../../db/guard.ts'
import { type Statement, select } from '../../db/statement.ts'
import { erasureSweep } from '../../erasure-sweep/table.ts'
import { AppError } from '../../errors.ts'
import { team } from '../../team/table.ts'
import type { ErasedPerson } from './eraser.ts'

// A job goes on while somebody whom its entries are about is erased. Until the sweep has come to it, its entries are read
// without what they have of the person; and nothing is written that was read before the erasure. The same holds of a message
// that one call sends for a process.

/** With so many, a job waits until some of them have gone through it. */
export const PENDING_ERASURES_MAX = 500

/** Selects the erasures whose sweep has not yet come to a job that was accepted before them. */
export const selectPendingErasures = (teamNo: number, job: number): Statement<ErasedPerson> =>
  select(
    { names: erasureSweep.names, erasure: erasureSweep.erasure },
    sql`FROM ${erasureSweep} INDEXED BY erasure_sweep_team WHERE ${erasureSweep.team} = ${teamNo}
      AND ${erasureSweep.job} < ${job} AND ${erasureSweep.lastJob} >= ${job} LIMIT ${PENDING_ERASURES_MAX}`,
  )

const ERASED_MEANWHILE = 'somebody was erased meanwhile'
export const isErasedMeanwhile = (error: unknown): boolean => isGuardFailure(error, ERASED_MEANWHILE)

/** After too many attempts the caller is told to try again. */
export const erasedMeanwhileError = (cause: unknown): AppError =>
  new AppError('conflict', 'customers are being erased at this moment: try again', cause)

/** When somebody of the team was erased, the last time: another time with each erasure. */
export const selectLastErasure = (teamNo: number): Statement<{ lastErasureAt: number | null }> =>
  select({ lastErasureAt: team.lastErasureAt }, sql`FROM ${team} WHERE ${team.no} = ${teamNo}`)

/** Fails the transaction if somebody of the team was erased since. */
export const guardNobodyErased = (teamNo: number, lastErasureAt: number | null): Statement =>
  guard(
    ERASED_MEANWHILE,
    sql`EXISTS (SELECT 1 FROM ${team} WHERE ${team.no} = ${teamNo} AND ${team.lastErasureAt} IS ${lastErasureAt})`,
  )
