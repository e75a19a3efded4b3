import { countFitting } from '../bytes.ts'
import { viewAuthor } from '../event/author.ts'
import type { Referent } from '../event/noun-events.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { EVENTS, type TeamEvent } from '../event-types.ts'
import { RESPONSE_BYTES_MAX, SHORT_BYTES_MAX } from '../http/response/page-bytes.ts'
import type { Scope, Team } from '../scope.ts'

/**
 * The id of an event is made of its team's, its number and its time: it is the same wherever and whenever the event is
 * shown. After a restore of a backup, numbers are given again, but not at the same time.
 */
export const eventId = ({ id }: Pick<Team, 'id'>, { sequence, at }: Pick<StoredEvent, 'sequence' | 'at'>): string =>
  `evt_${id.slice(-12)}_${sequence}_${at.toString(36)}`

/** Parses the id of an event of this team; undefined if the id is another team's, or no event's. */
export function parseEventId(
  { id }: Pick<Team, 'id'>,
  named: string,
): Pick<StoredEvent, 'sequence' | 'at'> | undefined {
  const [, team, digits, at = ''] = /^evt_([0-9a-f]{12})_([1-9][0-9]{0,14})_([0-9a-z]{1,11})$/.exec(named) ?? []
  return team === id.slice(-12) ? { sequence: Number(digits), at: Number.parseInt(at, 36) } : undefined
}

type Reader = Pick<Scope, 'db' | 'team'>

/** `data` of events by their sequence numbers. */
type DataBySequence = ReadonlyMap<number, Referent<object>>

/** Events, and the number up to which the log was read for them. */
interface EventsUpTo<Event> {
  events: readonly Event[]
  lookedTo: number
}

/**
 * Shows events as the feed and webhooks have them, up to the first one that does not fit the page: that is where `lookedTo`
 * ends then. A process is shown as it is now, also if it was deleted meanwhile. What is long is read in a second round.
 */
export async function viewEvents(
  scope: Reader,
  { events, lookedTo }: EventsUpTo<StoredEvent>,
): Promise<EventsUpTo<TeamEvent>> {
  let data = await readData(scope, events, SHORT_BYTES_MAX)
  let page = takeEventsThatFit(events, data)
  const unread = page.filter(({ sequence }) => data.get(sequence)?.shown === 'not read')
  if (unread.length > 0) {
    data = new Map([...data, ...(await readData(scope, unread, Number.MAX_SAFE_INTEGER))])
    // What was too long by its bytes is read now, or is gone.
    page = takeEventsThatFit(page, data)
  }
  return {
    events: page.map(event => viewEvent(scope.team, event, data.get(event.sequence)?.shown)),
    lookedTo: page.length < events.length ? (page.at(-1)?.sequence ?? 0) : lookedTo,
  }
}

function takeEventsThatFit(events: readonly StoredEvent[], data: DataBySequence): readonly StoredEvent[] {
  const bytes = events.map(({ sequence }) => data.get(sequence)?.bytes ?? 0)
  return events.slice(0, countFitting(bytes, RESPONSE_BYTES_MAX))
}

/** Reads the data of events, in one round trip for each noun that some of them are of. */
async function readData(scope: Reader, events: readonly StoredEvent[], bytesMax: number): Promise<DataBySequence> {
  const shown = await Promise.all(
    EVENTS.map(({ data, show }) => {
      const own = events.filter(({ type }) => Object.hasOwn(data, type))
      return own.length === 0 ? new Map<number, Referent<object>>() : show(scope, own, bytesMax)
    }),
  )
  return new Map(shown.flatMap(each => [...each]))
}

function viewEvent(team: Team, event: StoredEvent, data: object | 'not read' | undefined): TeamEvent {
  const { sequence, type, at, by, after } = event
  const shown = {
    id: eventId(team, event),
    sequence,
    type,
    timestamp: new Date(at).toISOString(),
    team: team.id,
    // After a rollback the log may have types that this version does not know.
    data: data ?? after,
    by: viewAuthor(by, (after as { entry?: number }).entry),
  }
  // `data` is that of the type: `test/feed/schemas.test.ts` compares an event of each with its schema.
  return shown as TeamEvent
}
