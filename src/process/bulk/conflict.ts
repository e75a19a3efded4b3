import { isTooLarge } from '../../db/document-size.ts'
import { isGuardFailure, isUniqueViolation } from '../../db/guard.ts'
import { type TextStatement, textGuard } from '../../db/text-statement.ts'
import { hasRecordAppeared } from '../../record/operations.ts'
import { tooLarge } from '../refusals.ts'

const CHANGED_MEANWHILE = 'a process was changed meanwhile'

/** After a statement that writes many rows: unless it wrote each of them, nothing of its batch takes effect. */
export const guardCount = (count: number): TextStatement => textGuard(CHANGED_MEANWHILE, `changes() = ${count}`)

/** Somebody else was faster: what was decided on is not so any more, and must be decided again. */
export const isRace = (error: unknown): boolean =>
  isGuardFailure(error, CHANGED_MEANWHILE) ||
  hasRecordAppeared(error) ||
  ['process.primary_key', 'process.rid', 'record.rid'].some(column => isUniqueViolation(error, column))

const ATTEMPTS_MAX = 4

/** Decides and writes, and does both again after a race, a few times. */
export async function untilNoRace(entries: number, attempt: () => Promise<void>): Promise<void> {
  for (let made = 1; ; made++) {
    try {
      return await attempt()
    } catch (error) {
      if (entries === 1 && isTooLarge(error, 'process')) throw tooLarge('process', '/body/data', error)
      if (entries === 1 && isTooLarge(error, 'record')) throw tooLarge('record', '/body/record/data', error)
      if (!isRace(error) || made >= ATTEMPTS_MAX) throw error
    }
  }
}
