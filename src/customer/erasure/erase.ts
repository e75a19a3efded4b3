import { isGuardFailure } from '../../db/guard.ts'
import type { Statement } from '../../db/statement.ts'
import { StorageFullError } from '../../db/storage-error.ts'
import { write } from '../../db/write.ts'
import { beginSweep, selectSweep } from '../../erasure/statements.ts'
import type { AppError } from '../../errors.ts'
import { firstRidAt } from '../../ids.ts'
import { type CustomerRow, guardVersion, readCustomer, selectCustomer, unknownCustomer } from '../../record/customer.ts'
import { identityValues } from '../../record/drafts.ts'
import { eventOfErasure } from '../../record/events.ts'
import { removeIdentities } from '../../record/identity.ts'
import { emailsIn, phonesIn } from '../../record/rules.ts'
import { findSurvivor } from '../../record/survivor.ts'
import { hashPhone, insertTombstones, type TombstoneKeys } from '../../record/tombstone.ts'
import { removeWords, wordsOfNames } from '../../record/words.ts'
import type { Scope } from '../../scope.ts'
import { removeMovesTo } from '../merger/rows.ts'
import { alreadyMerged } from '../merger/rules.ts'
import { requireVersion, withRecordRetry } from '../update.ts'
import { insertErasure, insertMergedErasures, selectErasure } from './rows.ts'
import {
  eraseAtOnce,
  namesOfPerson,
  removeMerged,
  removeRecord,
  removeViewsNaming,
  selectAnyMerged,
  TOO_MUCH,
} from './statements.ts'

/** Messages, and processes, that one request erases. Of a customer with more, a chore erases them. */
const ERASED_AT_ONCE_MAX = 250

export interface Erasure {
  id: string
  /** Whether a chore is still to erase the rest. */
  isComplete: boolean
  processes: number
  messages: number
  /** Saved views that named the customer. */
  savedViews: number
}

/**
 * Erases a customer: the record, what identifies it, and of the messages everything but that there was one. The processes
 * stay without a record. What remains elsewhere, and until when, is in the guide `customers.md`.
 */
export const eraseRecord = (
  scope: Scope,
  keys: TombstoneKeys,
  { id, ifVersion }: { id: string; ifVersion: number | undefined },
): Promise<Erasure> =>
  withRecordRetry(async () => {
    const [[found], [pending], [sweep], [merged]] = await scope.db.read(
      selectCustomer(scope, id),
      selectErasure(scope, id),
      selectSweep(scope.team.no, id),
      selectAnyMerged(scope, id),
    )
    const left = pending ?? (sweep && { id: sweep.id, processes: 0, messages: 0 })
    if (left && !found)
      return { id: left.id, isComplete: false, processes: left.processes, messages: left.messages, savedViews: 0 }
    if (!found) throw await refuseMerged(scope, id)
    const row = readCustomer(found)
    requireVersion(row, ifVersion)
    const erased = { team: scope.team.no, rid: row.rid, phones: phonesIn(row.data), before: BEFORE_ALL }
    const at = scope.now
    const tombstones = insertTombstones({ ...erased, at }, await hashPhones(keys, erased))
    const guards = [guardVersion(row)]
    const names = namesOfPerson(erased, row.id, emailsIn(row.data))
    const removeViews = removeViewsNaming(erased.team, names)
    const follow = [removeViews, ...beginSweep({ ...erased, id: row.id, at, names })] as const
    const eraseLater = async (): Promise<Erasure> => {
      // The next millisecond: whatever is written from then on is not this customer's any more.
      const rest = insertErasure(row.id, { ...erased, before: firstRidAt(scope.now + 1) })
      const [{ changes: savedViews }] = await write(scope, {
        guards,
        effect: [
          ...follow,
          rest,
          ...(merged ? eraseMerged(scope, row) : []),
          tombstones,
          ...removal(scope, row),
          eventOfErasure(scope, row),
        ],
        outcome: null,
      })
      return { id: row.id, isComplete: false, processes: 0, messages: 0, savedViews }
    }
    // Each who was merged into the customer has a log of their own: that is for the chore.
    if (merged) return eraseLater()
    try {
      const erasing = eraseAtOnce({ ...erased, at, max: ERASED_AT_ONCE_MAX })
      const effect = [...erasing, ...follow, tombstones, ...removal(scope, row), eventOfErasure(scope, row)]
      let isFull = false
      const results = await write(scope, { guards, effect, outcome: null }).catch((error: unknown) => {
        // There is no room for the event, the tombstones and the sweep: whoever has to make room must be able to.
        if (!(error instanceof StorageFullError)) throw error
        isFull = true
        return write(scope, { guards, effect: [...erasing, removeViews, ...removal(scope, row)], outcome: null })
      })
      const changes = results.map(each => each.changes)
      const [toNumbers, , ofProcesses, , processes] = changes
      const [savedViews = 0, , sweeps = 0] = changes.slice(erasing.length)
      return {
        id: row.id,
        isComplete: isFull || sweeps === 0,
        processes: processes ?? 0,
        messages: (toNumbers ?? 0) + (ofProcesses ?? 0),
        savedViews,
      }
    } catch (error) {
      if (!isGuardFailure(error, TOO_MUCH)) throw error
      return eraseLater()
    }
  })

/** Who asks for the erasure of one customer may not know of the other, so the id of one who was merged does not lead there. */
async function refuseMerged(scope: Scope, id: string): Promise<AppError> {
  const survivor = await findSurvivor(scope, id)
  return survivor === undefined ? unknownCustomer(id) : alreadyMerged(id, survivor, '/path/recordId')
}

const BEFORE_ALL = Number.MAX_SAFE_INTEGER

/** Those who were merged into a customer are the same person: what the log has of them goes, and where their processes lead. */
const eraseMerged = (scope: Scope, row: CustomerRow): Statement[] => [
  insertMergedErasures(scope, row, firstRidAt(scope.now + 1)),
  removeMovesTo(row.rid),
  removeMerged(scope, row.rid),
]

/** What identifies a record follows from its data. */
const removal = (scope: Scope, row: CustomerRow): Statement[] => [
  removeIdentities(
    scope,
    identityValues(row.data, row).map(value => ({ ...value, record: row.rid })),
  ),
  ...removeWords(
    scope,
    wordsOfNames(row.data).map(word => ({ word, record: row.rid })),
  ),
  removeRecord(scope, row.rid),
]

const hashPhones = (keys: TombstoneKeys, { team, phones }: { team: number; phones: readonly string[] }) =>
  Promise.all(phones.map(async phone => ({ phone, hashes: await hashPhone(keys, team, phone) })))
