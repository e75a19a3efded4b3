import type { Db } from '../../db/client.ts'
import { toNextVersion } from '../../db/next-version.ts'
import type { Statement } from '../../db/statement.ts'
import { StorageError } from '../../db/storage-error.ts'
import { write } from '../../db/write.ts'
import { sleep } from '../../timeout.ts'
import { type DeliveryAttempt, type DisabledReason, nextDueAt } from '../delivery-rules.ts'
import { toSnapshot } from '../view.ts'
import type { Endpoint } from './endpoint.ts'
import { type EventRange, findNewEvents, isAllSettled, settledTo } from './sources.ts'
import {
  appendDisabled,
  deleteReplay,
  disableEndpoint,
  formatSelection,
  insertAttempts,
  selectVersion,
  updateProgress,
  updateReplay,
} from './store.ts'

/** The progress since the last save. */
export interface PendingChanges {
  attempts: DeliveryAttempt[]
  /** Whether the state of waiting events changed without an attempt. */
  isChanged: boolean
  disabled: { reason: DisabledReason; at: number } | null
}

/** An endpoint that sends little saves its position after passing this many events, or when it was found behind. */
const PASSED_EVENTS_MAX = 1_000
/** The pauses before a failed save is tried again. */
const SAVE_RETRY_MS = [300, 2_000, 8_000]

const listReplays = ({ sources }: Endpoint): EventRange[] => sources.filter(({ replay }) => replay !== null)

export const getPosition = (endpoint: Endpoint): number => {
  const news = findNewEvents(endpoint.sources)
  return news ? settledTo(news) : endpoint.row.position
}

export const isWorthSaving = (
  endpoint: Endpoint,
  { attempts, isChanged, disabled }: PendingChanges,
  isBehind: boolean,
) =>
  attempts.length > 0 ||
  isChanged ||
  disabled !== null ||
  endpoint.namedReplays.length > 0 ||
  listReplays(endpoint).some(each => settledTo(each) > each.position) ||
  getPosition(endpoint) - endpoint.row.position >= (isBehind ? 1 : PASSED_EVENTS_MAX)

/**
 * Position, what waits, attempts, replays and a disabling in one transaction. What was sent is only known here until it
 * works, so it is tried for some seconds. Returns whether the endpoint is still the one that the pass began with.
 */
export async function saveProgress(db: () => Db, endpoint: Endpoint, unsaved: PendingChanges): Promise<boolean> {
  for (const pauseMs of SAVE_RETRY_MS)
    try {
      return await saveOnce(db(), endpoint, unsaved)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      await sleep(pauseMs)
    }
  return saveOnce(db(), endpoint, unsaved)
}

async function saveOnce(db: Db, endpoint: Endpoint, unsaved: PendingChanges): Promise<boolean> {
  const { row, team, state } = endpoint
  const attempts = [...unsaved.attempts]
  const { disabled } = unsaved
  const position = getPosition(endpoint)
  const replays = listReplays(endpoint).map(source => ({ source, to: settledTo(source), isOver: isAllSettled(source) }))
  const named = [...endpoint.namedReplays]
  const name = { team: team.no, id: row.id }
  const progress = { webhook: name, position, dueAt: nextDueAt({ ...state, heldUntil: null }, row.order, 0) }
  const effect = [
    selectVersion(row.no),
    ...updateProgress({ ...progress, ...state, revision: row.revision, wanted: formatSelection(row) }),
    ...(attempts.length === 0 ? [] : [insertAttempts({ team: team.no, webhook: row.no }, attempts)]),
    ...replays.flatMap(each => writeReplay(row.no, each)),
    ...named.map(id => deleteReplay(row.no, id)),
    ...(disabled === null ? [] : disable(endpoint, disabled)),
  ] as const
  const [version] = await write({ db, idempotency: null }, { effect, outcome: null })
  row.revision += 1
  row.position = position
  unsaved.attempts.splice(0, attempts.length)
  unsaved.isChanged = false
  if (unsaved.disabled === disabled) unsaved.disabled = null
  endpoint.namedReplays.splice(0, named.length)
  for (const { source, to, isOver } of replays) {
    source.position = to
    if (isOver) endpoint.sources.splice(endpoint.sources.indexOf(source), 1)
  }
  const [now] = version.rows
  return now?.version === row.version && now.deletedAt === null
}

function writeReplay(
  no: number,
  { source, to, isOver }: { source: EventRange; to: number; isOver: boolean },
): Statement[] {
  if (source.replay === null) return []
  if (isOver) return [deleteReplay(no, source.replay)]
  return to > source.position ? [updateReplay(no, source.replay, to)] : []
}

function disable({ row, team, state }: Endpoint, { at, reason }: NonNullable<PendingChanges['disabled']>): Statement[] {
  const { failingSince } = state
  const after = {
    ...row,
    failingSince,
    enabled: false,
    disabledAt: at,
    disabledReason: reason,
    ...toNextVersion(row, at),
  }
  return [disableEndpoint(row, { at, reason }), appendDisabled(team.no, at, [row.id, toSnapshot(after, team, at)])]
}
