import type { Db } from '../db/client.ts'
import { isGuardFailure } from '../db/guard.ts'
import { write } from '../db/write.ts'
import { AppError, invalid } from '../errors.ts'
import { type EventFilter, readEvents } from '../event/read.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import type { Scope } from '../scope.ts'
import { findRetainedRange, selectRetainedRange, sequenceExpiredError } from './retained-range.ts'
import type { EventFeed } from './schema.ts'
import { guardNoWebhooks, HAS_WEBHOOKS, selectSince, setFeedSince } from './store.ts'

interface FeedRequest extends EventFilter {
  after?: number | undefined
  limit: number
}

export interface FeedPage {
  events: StoredEvent[]
  /** The `after` of the next page. */
  next: number
  latest: number
}

export interface FeedContext {
  /** The database itself, because a replica may not know a position yet. */
  primary: Db
  /** Events before this time are not shown any more. */
  keptSince: number
}

/** Reads a page of the feed. It is refused if events that would follow `after` are not kept any more. */
export async function readFeed(
  scope: Pick<Scope, 'db' | 'team'>,
  { primary, keptSince }: FeedContext,
  { after: sent, limit, ...filter }: FeedRequest,
): Promise<FeedPage> {
  const after = sent ?? (await findRetainedRange(scope, keptSince)).expired
  const { events, lookedTo, latest, first } = await readEvents(scope, { after, limit, ...filter })
  if (after > latest) await requireReached({ ...scope, db: primary }, after, keptSince)
  if (first && (first.at < keptSince || first.sequence > after + 1))
    throw await sequenceExpiredError(scope, keptSince, {
      wanted: `events after ${after} are`,
      path: '/query/after',
      hint: ({ expired }) => `go on with after=${expired}`,
    })
  return { events, next: lookedTo, latest: Math.max(latest, lookedTo) }
}

/** Refuses a number beyond the last event. It is made up, or from before a restore, and going on from it would miss events. */
async function requireReached(scope: Pick<Scope, 'db' | 'team'>, after: number, keptSince: number): Promise<void> {
  const { latest } = await findRetainedRange(scope, keptSince)
  if (after <= latest) return
  throw invalid([
    {
      message: `there is no event ${after} yet: the last one is ${latest}`,
      path: '/query/after',
      hint: `if a backup was restored: read what you need anew, then go on with after=${latest}`,
    },
  ])
}

/** Refuses a request while the feed is off. An isolate may remember a team as it was before the switch, so the database is asked. */
export async function requireFeedOn(scope: Pick<Scope, 'team'>, primary: Db): Promise<void> {
  if (scope.team.eventFeedSince !== null) return
  const [[row]] = await primary.read(selectSince(scope.team.no))
  if (row && row.since !== null) return
  const hint = 'switch it on with PUT /v1/ext/event-feed {"enabled": true}'
  throw new AppError('event_feed_off', [{ message: 'the event feed is off', hint }])
}

export async function getFeed({ db, team }: Pick<Scope, 'db' | 'team'>, keptSince: number): Promise<EventFeed> {
  const [[row], [kept]] = await db.read(selectSince(team.no), selectRetainedRange(team.no, keptSince))
  const { expired, latest } = kept ?? { expired: 0, latest: 0 }
  const since = row?.since ?? null
  return { enabled: since !== null, since, oldest: expired < latest ? expired + 1 : null, latest }
}

/** Switches the feed. Webhooks need it, because events that are about neither processes nor customers are only stored while it is on. */
export async function switchFeed(scope: Scope, enabled: boolean, keptSince: number): Promise<EventFeed> {
  const { no } = scope.team
  const before = await getFeed(scope, keptSince)
  const feed = { ...before, enabled, since: enabled ? (before.since ?? scope.now) : null }
  await write(scope, {
    guards: enabled ? [] : [guardNoWebhooks(no)],
    effect: [setFeedSince(no, enabled ? scope.now : null)],
    outcome: { json: JSON.stringify(feed) },
  }).catch((error: unknown) => {
    if (!isGuardFailure(error, HAS_WEBHOOKS)) throw error
    const hint = 'disable or delete them first'
    throw new AppError('conflict', [{ message: 'webhooks that are enabled need the event feed', hint }], error)
  })
  return feed
}
