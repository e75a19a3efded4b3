import { sql } from 'drizzle-orm'
import { isRecordConflict } from '../../customer-record/plan.ts'
import { isTooLarge } from '../../db/document/size.ts'
import { ridList, selectRowValue, splitRowValues } from '../../db/document/values-by-row.ts'
import { guard, guardChanges, isGuardFailure, isUniqueViolation } from '../../db/guard.ts'
import { retryOnConflict } from '../../db/retry.ts'
import type { Statement } from '../../db/statement.ts'
import { PROCESS_CHANGED, ProcessChanged } from '../conflict.ts'
import { isBeingErased } from '../erasure/statements.ts'
import { tooLargeError } from '../refusals.ts'
import { process } from '../table.ts'

/** Follows a statement that writes many rows: fails the transaction unless it wrote all of them. */
export const guardCount = (count: number): Statement => guardChanges(PROCESS_CHANGED, count)

/** Fails the transaction unless all of some processes have the versions that a decision relied on. */
export function guardVersions(read: readonly { rid: number; version: number }[]): Statement[] {
  const versions = new Map(read.map(({ rid, version }) => [rid, version]))
  if (versions.size === 0) return []
  const version = selectRowValue(process.rid, splitRowValues([...versions].map(([rid, read]) => [rid, String(read)])))
  const same = sql`SELECT count(*) FROM ${process} WHERE ${process.rid} IN ${ridList([...versions.keys()])}
    AND ${process.version} = CAST(${version} AS INTEGER)`
  return [guard(PROCESS_CHANGED, sql`(${same}) = ${sql.raw(String(versions.size))}`)]
}

/** Another request has written since the read: the step is decided again. */
export const isStepConflict = (error: unknown): boolean =>
  error instanceof ProcessChanged ||
  isGuardFailure(error, PROCESS_CHANGED) ||
  isBeingErased(error) ||
  isRecordConflict(error) ||
  isUniqueViolation(error, 'process.primary_key') ||
  isUniqueViolation(error, 'process.rid')

/** All of them together must fit the statements of one invocation: see `STATEMENTS_PER_STEP_MAX`. */
const ATTEMPTS_MAX = 4

/** Decides on the entries of a step and writes them, a few times if others write at the same time. */
export async function writeStepWithRetry(entries: number, act: () => Promise<void>): Promise<void> {
  try {
    await retryOnConflict(isStepConflict, act, ATTEMPTS_MAX)
  } catch (error) {
    if (entries === 1 && isTooLarge(error, 'process')) throw tooLargeError('process', '/body/data', error)
    if (entries === 1 && isTooLarge(error, 'record')) throw tooLargeError('record', '/body/record/data', error)
    throw error
  }
}
