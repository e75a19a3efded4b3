import type { SQL } from 'drizzle-orm'
import { insertErasureEvent } from '../../customer-record/append-events.ts'
import { IDENTITY_NAMES, listEmails, listPhones } from '../../customer-record/identity-rules.ts'
import { removeIdentities } from '../../customer-record/identity-statements.ts'
import { listIdentityValues } from '../../customer-record/identity-values.ts'
import { listNameWords, removeWords } from '../../customer-record/name-words.ts'
import { toPersonFinder } from '../../customer-record/person-rules.ts'
import {
  guardVersion,
  type RecordRow,
  readRecord,
  selectRecord,
  unknownRecordError,
} from '../../customer-record/rows.ts'
import { findSurvivor } from '../../customer-record/survivor.ts'
import { hashPhone, insertTombstones, type TombstoneKeys } from '../../customer-record/tombstone.ts'
import { isGuardFailure } from '../../db/guard.ts'
import type { Statement } from '../../db/statement.ts'
import { StorageFullError } from '../../db/storage-error.ts'
import { write } from '../../db/write.ts'
import { describeError } from '../../describe-error.ts'
import { withErasureNote } from '../../erasure-sweep/note.ts'
import { beginSweep, selectSweep } from '../../erasure-sweep/statements.ts'
import { AppError } from '../../errors.ts'
import { toAuthorJson } from '../../event/append.ts'
import type { Scope } from '../../scope.ts'
import { alreadyMergedError } from '../merger/rules.ts'
import { removeMovesTo } from '../merger/statements.ts'
import { requireVersion, retryOnRecordConflict } from '../update.ts'
import {
  type ErasureProgress,
  insertErasure,
  insertMergedErasures,
  type NewErasure,
  selectErasure,
  selectErasureByRecord,
} from './erasure-rows.ts'
import {
  eraseAtOnce,
  guardViewsSeen,
  reduceRecord,
  removeMerged,
  removeRecord,
  removeViews,
  selectFirstYounger,
  selectHasViews,
  selectMerged,
  selectNames,
  selectPersonNames,
  selectViewsThatMayName,
  TOO_MUCH,
} from './store.ts'
import { type ErasureContext, eraseNext } from './task.ts'

/** Messages, and processes, that one request erases. Of a customer with more, a maintenance task erases them. */
const ERASED_AT_ONCE_MAX = 250
/** How many steps a request does itself of an erasure everywhere; the task does the rest. */
const STEPS_PER_CALL_MAX = 10

interface Erasure {
  id: string
  /** False: a maintenance task is still to erase the rest; where the record is kept, a repeated request. */
  isComplete: boolean
  /** True where the database is full. */
  isRecordKept?: true
  everywhere: boolean
  processes: number
  messages: number
  /** Saved views that named the customer. */
  savedViews: number
}

interface ErasureRequest {
  id: string
  ifVersion: number | undefined
  everywhere: boolean
}

/**
 * Erases a customer: the record, what identifies it, and of the messages everything but that there was one. The processes
 * stay without a record; `everywhere` empties their personal attributes, also in history and jobs. A request that is
 * repeated goes on. Each part is erased in one place:
 *
 * - At once, in one transaction (`store.ts`): record, identities, words, saved views; then tombstones of the numbers. Messages
 *   and the log, too, where they are few.
 * - By the task 'erase customers' (`task.ts`), in this order: messages to the numbers; the log of the customer
 *   (`event/erase.ts`, in R2 `event/object/erase.ts`); processes and their messages, live and in the trash
 *   (`process/erasure/statements.ts`, `process/erasure/messages.ts`), unless a request that takes one from the customer is
 *   faster (`process/erasure/finish.ts`); the log of the processes (`process/erasure/history.ts`).
 * - By the task 'sweep after erasures' (`erasure-sweep/task.ts`), which a purge of a process begins as well: answers of
 *   receivers (`webhook/responses.ts`); entries and results of jobs, in rows and in R2 (`background-job/erasure/`).
 * - On a full database the record stays, with its numbers and addresses alone: by these the repeated request finds the rest.
 * - After a restore of the database, all of it again, by the notes in R2 (`maintenance/replay-erasures.ts`).
 *
 * `remains.ts` lists what is left.
 */
export async function eraseCustomer(
  scope: Scope,
  keys: TombstoneKeys,
  request: ErasureRequest,
  {
    bucket,
    committed,
    archive,
  }: Pick<ErasureContext, 'bucket' | 'committed'> & {
    /** Where it is noted; null: it was noted before, and is done once more after a restore. */
    archive: R2Bucket | null
  },
): Promise<Erasure> {
  const erasure = await beginErasure(scope, keys, request, archive)
  if (erasure.isComplete || !erasure.everywhere) return erasure
  return continueErasure({ bucket, db: () => scope.db.reconnect(), now: scope.now, committed }, scope, erasure)
}

/** Runs the next steps of an erasure. If one fails, the maintenance task continues it. */
async function continueErasure(context: ErasureContext, scope: Scope, erasure: Erasure): Promise<Erasure> {
  let counts = erasure
  try {
    for (let step = 0; step <= STEPS_PER_CALL_MAX; step++) {
      const [[next], [progress], [sweep]] = await context
        .db()
        .read(
          selectErasureByRecord(scope.team.no, erasure.id),
          selectErasure(scope, erasure.id),
          selectSweep(scope.team.no, erasure.id),
        )
      if (progress) counts = { ...counts, ...readProgress(progress) }
      if (!next) return { ...counts, isComplete: sweep === undefined }
      if (step < STEPS_PER_CALL_MAX) await eraseNext(context, next)
    }
  } catch (error) {
    console.warn(JSON.stringify({ erasure: erasure.id, cause: describeError(error) }))
  }
  return counts
}

const readProgress = ({ everywhere, processes, messages }: ErasureProgress) => ({
  everywhere: everywhere === 1,
  processes,
  messages,
})

/** The processes have lost the customer, so nobody can find any more what else to erase. */
const erasedOtherwise = (id: string): AppError =>
  new AppError('conflict', [
    {
      message: `the customer ${id} is being erased without \`everywhere\` already: its processes can't be found by it any more`,
      path: '/query/everywhere',
      hint: 'purge the processes that name the person',
    },
  ])

const beginErasure = (
  scope: Scope,
  keys: TombstoneKeys,
  { id, ifVersion, everywhere }: ErasureRequest,
  archive: R2Bucket | null,
): Promise<Erasure> =>
  retryOnRecordConflict(async () => {
    const [[found], [pending], [sweep], merged, [some]] = await scope.db.read(
      selectRecord(scope, id),
      selectErasure(scope, id),
      selectSweep(scope.team.no, id),
      selectMerged(scope, id),
      selectHasViews(scope.team.no),
    )
    if (!found && (pending || sweep)) {
      const progress = pending ? readProgress(pending) : { everywhere: sweep?.erasure != null, ...NOTHING_LEFT }
      if (everywhere && !progress.everywhere) throw erasedOtherwise(id)
      return { id: id.toLowerCase(), isComplete: false, ...progress, savedViews: 0 }
    }
    if (!found) throw await refuseMerged(scope, id)
    const row = readRecord(found)
    requireVersion(row, ifVersion)
    const erased = { team: scope.team.no, rid: row.rid, phones: listPhones(row.data), before: BEFORE_ALL }
    const at = scope.now
    const tombstones = insertTombstones({ ...erased, at }, await hashPhones(keys, erased))
    const names = selectPersonNames(erased, row.id, listEmails(row.data))
    const views = some?.hasViews === 1 ? await findViewsNaming(scope, names) : { seen: [], named: [] }
    const removeNaming = removeViews(erased.team, views.named)
    const guards = [guardVersion(scope, row), guardViewsSeen(erased.team, names, views.seen)]
    const newSweep = { ...erased, id: row.id, at, names, erasure: everywhere ? row.rid : undefined }
    const follow = [removeNaming, ...beginSweep(newSweep)] as const
    const eraseLater = async (): Promise<Erasure> => {
      const rest = { id: row.id, by: toAuthorJson(scope), everywhere, before: selectFirstYounger(scope) }
      const [{ changes: savedViews }] = await write(scope, {
        guards,
        effect: [
          ...follow,
          insertErasure(rest, erased),
          ...(merged.length > 0 ? eraseMerged(scope, row, rest) : []),
          tombstones,
          ...removal(scope, row),
          insertErasureEvent(scope, row),
        ],
        outcome: null,
      })
      return { id: row.id, isComplete: false, everywhere, ...NOTHING_LEFT, savedViews }
    }
    const erase = async (): Promise<Erasure> => {
      // Each who was merged into the customer has a log of their own; and each process has one.
      if (merged.length > 0 || everywhere) return eraseLater()
      try {
        const erasing = eraseAtOnce({ ...erased, at, max: ERASED_AT_ONCE_MAX })
        const effect = [...erasing, ...follow, tombstones, ...removal(scope, row), insertErasureEvent(scope, row)]
        let isFull = false
        const results = await write(scope, { guards, effect, outcome: null }).catch((error: unknown) => {
          // There is no room for the event, the tombstones and the sweep: what only shrinks is done. After a restore nobody
          // repeats the request, so it fails, and is tried again.
          if (!(error instanceof StorageFullError) || archive === null) throw error
          isFull = true
          return write(scope, { guards, effect: [...erasing, removeNaming, ...reduction(scope, row)], outcome: null })
        })
        const changes = results.map(each => each.changes)
        const [messagesToNumbers = 0, _fewMessages, messagesOfProcesses = 0, _fewOfProcesses, processes = 0] = changes
        const [savedViews = 0, _sweepOfOthers, sweeps = 0] = changes.slice(erasing.length)
        return {
          id: row.id,
          isComplete: !isFull && sweeps === 0,
          ...(isFull ? { isRecordKept: true } : {}),
          everywhere: false,
          processes,
          messages: messagesToNumbers + messagesOfProcesses,
          savedViews,
        }
      } catch (error) {
        if (!isGuardFailure(error, TOO_MUCH)) throw error
        return eraseLater()
      }
    }
    if (archive === null) return erase()
    const what = everywhere ? 'customer everywhere' : 'customer'
    return withErasureNote(archive, scope, { what, ids: [row.id, ...merged.map(each => each.id)] }, erase)
  })

/** Views whose filters name the person, in whatever form a number was typed, and those that were looked at for it. */
async function findViewsNaming({ db, team }: Scope, names: SQL) {
  const [[person], seen] = await db.read(selectNames(names), selectViewsThatMayName(team.no, names))
  const isNamed = toPersonFinder(JSON.parse(person?.names ?? '[]') as string[])
  return {
    seen: seen.map(({ id, version }) => ({ id, version })),
    named: seen.filter(({ query }) => isNamed(JSON.parse(query))).map(({ id }) => id),
  }
}

const NOTHING_LEFT = { processes: 0, messages: 0 }

/** Who asks for the erasure of one customer may not know of the other, so the id of one who was merged does not lead there. */
async function refuseMerged(scope: Scope, id: string): Promise<AppError> {
  const survivor = await findSurvivor(scope, id)
  return survivor === undefined ? unknownRecordError(id) : alreadyMergedError(id, survivor, '/path/recordId')
}

const BEFORE_ALL = Number.MAX_SAFE_INTEGER

/** Those who were merged into a customer are the same person: what the log has of them goes, and where their processes lead. */
const eraseMerged = (scope: Scope, row: RecordRow, rest: NewErasure): Statement[] => [
  insertMergedErasures(rest, { team: scope.team.no, rid: row.rid }),
  removeMovesTo(scope.team.no, row.rid),
  removeMerged(scope, row.rid),
]

/** What identifies a record follows from its data. */
const removal = (scope: Scope, row: RecordRow): Statement[] => [
  removeIdentities(
    scope,
    listIdentityValues(row.data, row).map(value => ({ ...value, record: row.rid })),
  ),
  ...removeNameWords(scope, row),
  removeRecord(scope, row.rid),
]

/** Leaves of a record what identifies it. */
const reduction = (scope: Scope, row: RecordRow): Statement[] => [
  ...removeNameWords(scope, row),
  reduceRecord(
    scope,
    row.rid,
    Object.fromEntries(
      IDENTITY_NAMES.filter(name => Object.hasOwn(row.data, name)).map(name => [name, row.data[name]]),
    ),
  ),
]

const removeNameWords = (scope: Scope, { rid, data }: RecordRow): Statement[] =>
  removeWords(
    scope,
    listNameWords(data).map(word => ({ word, record: rid })),
  )

const hashPhones = (keys: TombstoneKeys, { team, phones }: { team: number; phones: readonly string[] }) =>
  Promise.all(phones.map(async phone => ({ phone, hashes: await hashPhone(keys, team, phone) })))
