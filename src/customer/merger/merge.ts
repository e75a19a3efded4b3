import { sql } from 'drizzle-orm'
import { listPhones } from '../../customer-record/identity-rules.ts'
import { selectIdentities } from '../../customer-record/identity-statements.ts'
import { listPossibleValues } from '../../customer-record/identity-values.ts'
import {
  countMerged,
  type MergeCandidate,
  mergeRecords,
  readMergeCandidate,
  selectMergeCandidate,
} from '../../customer-record/merge-statements.ts'
import { noSuchRecord } from '../../customer-record/plan.ts'
import { guardUnchanged, guardVersion, unknownRecordError } from '../../customer-record/rows.ts'
import { toData } from '../../db/document/json.ts'
import type { Statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { AppError, invalid } from '../../errors.ts'
import { toAuthorJson } from '../../event/append.ts'
import { toRowNo } from '../../ids.ts'
import { moveProcesses } from '../../process/rows/move.ts'
import type { Scope } from '../../scope.ts'
import type { MergedCustomer } from '../schema.ts'
import { requireVersion, retryOnRecordConflict } from '../update.ts'
import { alreadyMergedError, type MergePlan, planMerge } from './rules.ts'
import {
  countMessages,
  countProcesses,
  insertMove,
  redirectMoves,
  selectProgress,
  whereHasProcesses,
} from './statements.ts'

/** The processes, and their procedures, that one request moves. A maintenance task moves those of a customer with more. */
const MOVED_AT_ONCE_MAX = 250
const PROCEDURES_AT_ONCE_MAX = 8
/** The number at which counting ends. */
const COUNTED_MAX = 100_000
/** The customers that can be merged into one, directly or not: an erasure removes all of them in one transaction. */
const MERGED_MAX = 1_000

interface MergeRequest {
  id: string
  into: string
  /** The version that the caller has seen of the record that is merged. */
  ifVersion: number | undefined
  isDryRun: boolean
}

/** Both records as they were read. */
interface Pair {
  merged: MergeCandidate
  survivor: MergeCandidate
}

interface CheckedMerge extends Pair, MergePlan {
  procedures: readonly { proc: number; processes: number }[]
  processes: number
  messages: number
}

/**
 * Merges a customer into another one. From then on their id, numbers and addresses lead to that one, and messages follow the
 * numbers. Processes are given to the other at once if they are few; else a maintenance task does so in steps.
 */
export const mergeCustomer = (scope: Scope, request: MergeRequest): Promise<MergedCustomer> =>
  retryOnRecordConflict(async () => {
    const { isDryRun } = request
    const pair = await readPair(scope, request)
    if (pair.merged.mergedInto !== null) return keepProgress(scope, pair, isDryRun)
    requireVersion(pair.merged, request.ifVersion)
    const plan = await loadPlan(scope, pair)
    const { merged, survivor, processes, messages, phones, emails, attributes } = plan
    const isComplete = processes <= MOVED_AT_ONCE_MAX && plan.procedures.length <= PROCEDURES_AT_ONCE_MAX
    const response: MergedCustomer = {
      id: merged.id,
      into: survivor.id,
      isDryRun,
      isComplete,
      processes: isComplete || isDryRun ? processes : 0,
      messages,
      phones,
      emails,
      attributes,
    }
    if (!isDryRun)
      await write(scope, {
        guards: [guardVersion(scope, merged), guardVersion(scope, survivor)],
        effect: [
          ...mergeRecords(scope, plan),
          redirectMoves(scope.team.no, merged.rid, survivor.rid),
          ...(isComplete ? moveAtOnce(scope, plan) : [moveLater(scope, plan)]),
        ],
        outcome: { json: JSON.stringify(response) },
      })
    return response
  }, '/body/into')

/** Reads both records, of which one may have been merged into the other before. */
async function readPair(scope: Scope, { id, into }: MergeRequest): Promise<Pair> {
  const [[mergedRow], [survivorRow]] = await scope.db.read(
    selectMergeCandidate(scope, id),
    selectMergeCandidate(scope, into),
  )
  if (!mergedRow) throw unknownRecordError(id)
  if (!survivorRow) throw invalid([noSuchRecord(into, '/body/into')])
  const [merged, survivor] = [readMergeCandidate(mergedRow), readMergeCandidate(survivorRow)]
  if (merged.id === survivor.id) throw invalid([{ message: 'is the record itself', path: '/body/into' }])
  if (merged.mergedInto !== null && merged.mergedInto !== survivor.id)
    throw alreadyMergedError(merged.id, merged.mergedInto, '/path/recordId')
  if (survivor.mergedInto !== null) throw alreadyMergedError(survivor.id, survivor.mergedInto, '/body/into')
  return { merged, survivor }
}

/** Reads the progress of a merge. Once everything is moved, nothing is counted any more. */
async function readProgress(
  { db, team }: Scope,
  id: string,
): Promise<Pick<MergedCustomer, 'isComplete' | 'processes' | 'messages'>> {
  const [[left]] = await db.read(selectProgress(team.no, toRowNo(id)))
  return { isComplete: left === undefined, ...(left ?? { processes: 0, messages: 0 }) }
}

/** Writes only the record of the idempotency key. If the key was used for the merge itself, the response is the first one. */
async function keepProgress(scope: Scope, { merged, survivor }: Pair, isDryRun: boolean): Promise<MergedCustomer> {
  const progress = await readProgress(scope, merged.id)
  const response = { id: merged.id, into: survivor.id, isDryRun, ...progress, phones: [], emails: [], attributes: [] }
  if (scope.idempotency && !isDryRun) await write(scope, { effect: [], outcome: { json: JSON.stringify(response) } })
  return response
}

/** Returns the response to a repeated request with the same idempotency key: the first one, with the progress by now. */
export async function refreshMerge(scope: Scope, kept: MergedCustomer): Promise<MergedCustomer> {
  if (kept.isComplete) return kept
  const { isComplete, processes } = await readProgress(scope, kept.id)
  return { ...kept, isComplete, processes }
}

async function loadPlan(scope: Scope, { merged, survivor }: Pair): Promise<CheckedMerge> {
  const mergedData = { ...merged, data: toData(merged.data) }
  const survivorData = { ...survivor, data: toData(survivor.data) }
  const [owners, procedures, [messages], [before]] = await scope.db.read(
    selectIdentities(scope, listPossibleValues(mergedData.data)),
    countProcesses(scope, merged.rid, COUNTED_MAX),
    countMessages(scope, merged.rid, listPhones(mergedData.data), COUNTED_MAX),
    countMerged(scope, [merged.rid, survivor.rid], MERGED_MAX),
  )
  if ((before?.merged ?? 0) >= MERGED_MAX)
    throw new AppError('conflict', `no more than ${MERGED_MAX} customers can be merged into one`)
  const ofThirds = owners.filter(({ record }) => record !== merged.rid && record !== survivor.rid)
  return {
    merged,
    survivor,
    ...planMerge(mergedData, survivorData, new Set(ofThirds.map(({ value }) => value))),
    procedures,
    processes: procedures.reduce((sum, each) => sum + each.processes, 0),
    messages: messages?.messages ?? 0,
  }
}

/** Moves all processes that were counted. Fails the transaction if there are others by then. */
function moveAtOnce(scope: Scope, { merged, survivor, procedures, processes }: CheckedMerge): Statement[] {
  const all = {
    team: scope.team.no,
    at: scope.now,
    by: toAuthorJson(scope),
    from: merged.rid,
    to: sql`${survivor.rid}`,
    max: MOVED_AT_ONCE_MAX,
  }
  return [
    guardUnchanged(whereHasProcesses(scope, merged.rid, processes)),
    ...procedures.flatMap(({ proc }) => moveProcesses({ ...all, proc })),
    // One may have gone, and one of another procedure have come.
    guardUnchanged(whereHasProcesses(scope, merged.rid, 0)),
  ]
}

const moveLater = (scope: Scope, { merged, survivor, messages }: CheckedMerge): Statement =>
  insertMove({ record: merged.rid, toRecord: survivor.rid, team: scope.team.no, by: toAuthorJson(scope), messages })
