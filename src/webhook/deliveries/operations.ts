import { isGuardFailure } from '../../db/guard.ts'
import { write } from '../../db/write.ts'
import { AppError, invalid, notFound } from '../../errors.ts'
import { sequenceExpiredError } from '../../feed/retained-range.ts'
import { parseEventId } from '../../feed/view.ts'
import { newId, UUID } from '../../ids.ts'
import type { Scope } from '../../scope.ts'
import { type DeliveryAttempt, isDelivered } from '../delivery-rules.ts'
import { getWebhook } from '../operations.ts'
import type { DeliveriesQuery, DeliveryView, Replay, ReplayView } from './schema.ts'
import {
  type AttemptPlace,
  type EventReference,
  guardHappened,
  guardKept,
  guardReplayLeft,
  guardSameEvents,
  insertReplay,
  makeRangeDue,
  NOT_HAPPENED,
  NOT_KEPT,
  OTHER_EVENT,
  selectDeliveryAttempts,
  selectDeliveryState,
  selectLatestSequence,
  selectOtherEvents,
  TOO_MANY_REPLAYS,
} from './store.ts'

const REPLAYS_MAX = 10
const CLOCKS_DIFFER_MS_MAX = 60_000

const CURSOR = /^(\d{1,15})-(\d{1,15})$/

function readAttemptCursor(cursor: string | undefined): AttemptPlace | null {
  if (cursor === undefined) return null
  const [, row, place] = CURSOR.exec(cursor) ?? []
  if (row === undefined) throw invalid([{ message: 'this is not a cursor of this list', path: '/query/cursor' }])
  return { row: Number(row), place: Number(place) }
}

interface DeliveryPage {
  deliveries: DeliveryView[]
  meta: {
    hasMore: boolean
    next: string | null
    latest: number
    position: number
    waiting: number
    failingSince: number | null
    heldUntil: number | null
  }
}

/** Lists the attempts of a webhook, newest first. A page may be empty although there are more: `next` says where to go on. */
export async function listDeliveries(
  scope: Scope,
  id: string,
  { failed, event, cursor, limit }: DeliveriesQuery,
): Promise<DeliveryPage> {
  if (!UUID.test(id)) throw notFound(`webhook ${id}`)
  const place = { before: readAttemptCursor(cursor), since: event === undefined ? 0 : sentSince(scope, event) }
  const [[state], found] = await scope.db.read(
    selectDeliveryState(scope, id, place),
    selectDeliveryAttempts(scope, id, { ...place, limit, isFailed: failed === 'true', event }),
  )
  if (!state) throw notFound(`webhook ${id}`)
  const { lookedTo, ...progress } = state
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const cut = found.length > limit && last ? `${last.row}-${last.place}` : null
  const next = cut ?? (lookedTo === null || lookedTo <= 1 ? null : `${lookedTo}-0`)
  return {
    deliveries: page.map(({ attempt }) => viewDelivery(JSON.parse(attempt) as DeliveryAttempt)),
    meta: { hasMore: next !== null, next, ...progress },
  }
}

/** Returns the time from which attempts of an event are searched: none is older than the event, but for differences of clocks. */
function sentSince({ team }: Scope, event: string): number {
  const place = parseEventId(team, event)
  if (!place) throw invalid([{ message: `event ${event} not found`, path: '/query/event' }])
  return place.at - CLOCKS_DIFFER_MS_MAX
}

const viewDelivery = (attempt: DeliveryAttempt): DeliveryView => ({
  event: attempt.event,
  sequence: attempt.sequence,
  type: attempt.type,
  attempt: attempt.attempt,
  isDelivered: isDelivered(attempt.status),
  at: attempt.at,
  ms: attempt.ms,
  status: attempt.status,
  error: attempt.error ?? null,
  response: attempt.response ?? '',
  nextAttemptAt: attempt.nextAt ?? null,
})

/** Has events sent once more by the endpoint's Durable Object, whatever became of them. None is older than the feed shows. */
export async function replayEvents(scope: Scope, id: string, body: Replay, keptSince: number): Promise<ReplayView> {
  const row = await getWebhook(scope, id)
  const { no, enabled } = row
  if (!enabled)
    throw new AppError('conflict', [
      { message: 'the webhook is not enabled: nothing is sent', hint: `PUT /v1/ext/webhook/${id} {"enabled": true}` },
    ])
  const named = body.events === undefined ? null : listPlaces(scope, body.events)
  const only = named && [...new Set(named.map(({ sequence }) => sequence))].sort((one, other) => one - other)
  const range = only === null ? await findRange(scope, body) : { from: Math.min(...only), to: Math.max(...only) }
  const view: ReplayView = { id: newId(scope.now), ...range, events: only?.length ?? range.to - range.from + 1 }
  await write(scope, {
    guards: [
      guardReplayLeft(no, REPLAYS_MAX),
      guardHappened(scope, range.to),
      guardKept(scope, range.from, keptSince),
      ...(named === null ? [] : [guardSameEvents(scope, named)]),
    ],
    effect: [
      insertReplay(scope, { id: view.id, webhook: no, position: range.from - 1, last: range.to, only }),
      ...(only === null || row.order === 'strict' ? [makeRangeDue(row, range, scope.now)] : []),
    ],
    outcome: { json: JSON.stringify(view) },
  }).catch(async (error: unknown) => {
    if (isGuardFailure(error, NOT_KEPT)) throw await notRetainedError(scope, named, range.from, keptSince)
    if (isGuardFailure(error, OTHER_EVENT)) throw await otherEventsError(scope, body.events ?? [], named ?? [])
    if (isGuardFailure(error, NOT_HAPPENED)) throw notHappenedError(only === null ? '/body/to' : '/body/events')
    if (!isGuardFailure(error, TOO_MANY_REPLAYS)) throw error
    throw new AppError('conflict', `the webhook has ${REPLAYS_MAX} replays that are not over`, error)
  })
  return view
}

const notHappenedError = (path: string): AppError => invalid([{ message: 'no event has this number yet', path }])

const notRetainedError = (
  scope: Scope,
  named: readonly EventReference[] | null,
  first: number,
  keptSince: number,
): Promise<AppError> =>
  sequenceExpiredError(scope, keptSince, {
    wanted: `event ${first} is`,
    path: named ? `/body/events/${named.findIndex(({ sequence }) => sequence === first)}` : '/body/from',
    hint: ({ oldest, latest }) =>
      oldest > latest ? 'nothing can be replayed' : named ? 'leave out what is older' : `replay from ${oldest} on`,
  })

async function findRange(scope: Scope, { from = 1, to }: Replay): Promise<{ from: number; to: number }> {
  if (to !== undefined) return { from, to }
  const [[log]] = await scope.db.read(selectLatestSequence(scope))
  const latest = log?.latest ?? 0
  if (from > latest) throw notHappenedError('/body/from')
  return { from, to: latest }
}

function listPlaces({ team }: Scope, events: readonly string[]): EventReference[] {
  const places = events.map(id => parseEventId(team, id))
  const faults = events.flatMap((_, nth) => (places[nth] === undefined ? [unknownEvent(events, nth)] : []))
  if (faults.length > 0) throw invalid(faults)
  return places.flatMap(place => place ?? [])
}

async function otherEventsError(
  scope: Scope,
  events: readonly string[],
  named: readonly EventReference[],
): Promise<AppError> {
  const [others] = await scope.db.read(selectOtherEvents(scope, named))
  return invalid(others.map(({ nth }) => unknownEvent(events, nth)))
}

const unknownEvent = (events: readonly string[], nth: number) => ({
  message: `event ${events[nth]} not found`,
  path: `/body/events/${nth}`,
})
