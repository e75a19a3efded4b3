import type { Context } from 'hono'
import { openDatabase } from '../db/databases.ts'
import { AppError } from '../errors.ts'
import { readLogRetention } from '../event/settings.ts'
import { noteFeedOn } from '../event/signal/signal.ts'
import type { TeamEvent } from '../event-types.ts'
import type { AppEnv, WithPermit } from '../http/context.ts'
import { jsonResponse } from '../http/response/envelope.ts'
import { changeAddress, linkToNext } from '../http/response/next-page.ts'
import { route } from '../http/route.ts'
import type { May } from '../permissions.ts'
import { scheduleFirstScans } from '../process/due/schedule.ts'
import type { Scope } from '../scope.ts'
import { type FeedContext, type FeedPage, getFeed, readFeed, requireFeedOn, switchFeed } from './operations.ts'
import { EventsQuery, SwitchEventFeed } from './schema.ts'
import { viewEvents } from './view.ts'
import { waitForEvents } from './wait.ts'

const FEED = '/v1/ext/event-feed'
/** A call that waited longer than this is authorized again before it answers, so that a revoked token reads nothing after 30 seconds. */
const TRUSTED_MS = 4_000

const keptSince = ({ env }: Context<AppEnv>): number => Date.now() - readLogRetention(env).feedMs

const getContext = (c: Context<AppEnv>): FeedContext => ({
  primary: openDatabase(c.env, c.get('cost')),
  keptSince: keptSince(c),
})

async function listEvents(c: Context<AppEnv>, scope: Scope, { after, limit, type, waitSeconds }: EventsQuery) {
  const context = getContext(c)
  await requireFeedOn(scope, context.primary)
  noteFeedOn(scope.team.no)
  const request = { limit, ...(type && { types: type }) }
  const page = await readFeed(scope, context, { ...request, after })
  if (page.events.length > 0 || page.next < page.latest || waitSeconds === 0) return shown(scope, page)
  return waitWithoutPermit(c, async withPermit => {
    const startedAt = Date.now()
    // The session might ask a replica that does not know the event yet.
    const fresh = () => ({ ...scope, db: context.primary.reconnect() })
    const read = (from: number) => withPermit(() => readFeed(fresh(), context, { ...request, after: from }))
    const waiting = { env: c.env, team: scope.team.no, until: startedAt + waitSeconds * 1_000, read }
    const found = await waitForEvents(waiting, page)
    if (found.events.length === 0) return shown(scope, found)
    if (Date.now() - startedAt > TRUSTED_MS && !(await c.get('isStillAuthorized')()))
      throw new AppError('unauthenticated', 'this token was revoked while the request waited')
    return withPermit(() => shown(fresh(), found))
  })
}

/** Gives the call's permit back while it waits. Each later read acquires one of its own. */
function waitWithoutPermit<T>(c: Context<AppEnv>, act: (withPermit: WithPermit) => Promise<T>): Promise<T> {
  const isContended = c.get('releaseCall')?.() ?? false
  c.set('releaseCall', () => isContended)
  return act(c.get('withPermit'))
}

/** Hides the webhook of an event from those who may not read webhooks, because its address may hold a password. */
const shownTo =
  (may: May) =>
  (event: TeamEvent): TeamEvent =>
    event.type === 'webhook.disabled' && !may('webhook:read')
      ? { ...event, data: { ...event.data, webhook: null } }
      : event

/** Shows the events of a page. Those that do not fit are left to the next one. */
async function shown(scope: Pick<Scope, 'db' | 'team'>, { events: stored, next: lookedTo, latest }: FeedPage) {
  const { events, lookedTo: next } = await viewEvents(scope, { events: stored, lookedTo })
  return { events, next, latest }
}

export const feedRoutes = [
  route({
    id: 'listEvents',
    method: 'get',
    path: '/v1/ext/event',
    summary: 'Read the event feed',
    permission: 'process:read',
    query: EventsQuery,
    perform: ({ c, scope, query }) => listEvents(c, scope, query),
    respond: ({ events, next, latest }, { c }) =>
      jsonResponse(200, events.map(shownTo(c.get('may'))), {
        meta: { latest, hasMore: next < latest, next },
        headers: linkToNext(c, next < latest ? changeAddress(c, { after: next }) : null),
      }),
  }),
  route({
    id: 'getEventFeed',
    method: 'get',
    path: FEED,
    summary: 'Fetch the event feed',
    permission: 'process:read',
    perform: ({ c, scope }) => getFeed(scope, keptSince(c)),
    respond: feed => jsonResponse(200, feed),
  }),
  route({
    id: 'switchEventFeed',
    method: 'put',
    path: FEED,
    summary: 'Switch the event feed',
    permission: 'webhook:write',
    body: SwitchEventFeed,
    perform: async ({ c, scope, body }) => {
      if (body.enabled) await scheduleFirstScans(c.env, scope.team)
      const feed = await switchFeed(scope, body.enabled, keptSince(c))
      if (feed.enabled) noteFeedOn(scope.team.no)
      return feed
    },
    respond: feed => jsonResponse(200, feed),
  }),
]
