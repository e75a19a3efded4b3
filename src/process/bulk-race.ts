import { guard, isGuardFailure, isUniqueViolation } from '../db/guard.ts'
import type { Statement } from '../db/statement.ts'
import { RECORD_APPEARED } from '../record/store.ts'

const CHANGED_MEANWHILE = 'a process was changed meanwhile'

/** After a statement that writes many rows: unless it wrote each of them, nothing of its batch takes effect. */
export const guardCount = (count: number): Statement => guard(CHANGED_MEANWHILE, `changes() = ${count}`)

/** Somebody else was faster: what was decided on is not so any more, and must be decided again. */
export const isRace = (error: unknown): boolean =>
  isGuardFailure(error, CHANGED_MEANWHILE) ||
  isGuardFailure(error, RECORD_APPEARED) ||
  ['process.primary_key', 'process.rid', 'record.rid'].some(column => isUniqueViolation(error, column))

const ATTEMPTS_MAX = 4

/** Decides and writes, and does both again after a race, a few times. */
export async function untilNoRace(attempt: () => Promise<void>): Promise<void> {
  for (let made = 1; ; made++) {
    try {
      return await attempt()
    } catch (error) {
      if (!isRace(error) || made >= ATTEMPTS_MAX) throw error
    }
  }
}
