import { countFitting } from '../bytes.ts'
import { viewAuthor } from '../event/author.ts'
import type { Referent } from '../event/event-view.ts'
import type { StoredEvent } from '../event/stored-event.ts'
import { SHORT_BYTES_MAX, SHOWN_BYTES_MAX } from '../http/response/page-bytes.ts'
import { listFieldChanges, listRecordNos, versionAfter } from '../process/rows/changes.ts'
import type { ProcessAfter, ProcessBefore } from '../process/rows/events.ts'
import { listRecordChanges, type RecordAfter, type RecordBefore } from '../record/events.ts'
import type { Scope, Team } from '../scope.ts'
import type { EventData } from './event-data.ts'
import type { TeamEvent } from './event-schema.ts'
import { showByFeature } from './event-views.ts'
import { type ProcessReferents, readReferred } from './shown-processes.ts'

/**
 * The id of an event is made of its team's, its number and its time: it is the same wherever and whenever the event is
 * shown. After a restore of a backup, numbers are given again, but not at the same time.
 */
export const eventId = ({ id }: Pick<Team, 'id'>, { sequence, at }: Pick<StoredEvent, 'sequence' | 'at'>): string =>
  `evt_${id.slice(-12)}_${sequence}_${at.toString(36)}`

/** The number and time that the id of an event of this team says; undefined if the id is another team's, or of none. */
export function parseEventId(
  { id }: Pick<Team, 'id'>,
  named: string,
): Pick<StoredEvent, 'sequence' | 'at'> | undefined {
  const [, team, digits, at = ''] = /^evt_([0-9a-f]{12})_([1-9][0-9]{0,14})_([0-9a-z]{1,11})$/.exec(named) ?? []
  return team === id.slice(-12) ? { sequence: Number(digits), at: Number.parseInt(at, 36) } : undefined
}

type Reader = Pick<Scope, 'db' | 'team'>

interface StoredProcessEvent extends StoredEvent {
  after: ProcessAfter
  before: ProcessBefore | undefined
}

const isOfProcess = (event: StoredEvent): event is StoredProcessEvent => event.type.startsWith('process.')

interface StoredRecordEvent extends StoredEvent {
  after: RecordAfter
  before: RecordBefore
}

const isOfRecord = (event: StoredEvent): event is StoredRecordEvent =>
  event.type === 'record.updated' || event.type === 'record.merged'

/** What events refer to: processes and customers by row number, all else by the event's. */
interface EventReferents extends ProcessReferents {
  features: ReadonlyMap<number, Referent<object>>
}

/** Events and up to where they were looked for. */
interface EventsUpTo<Event> {
  events: readonly Event[]
  lookedTo: number
}

/**
 * Events as the feed and webhooks show them, up to the first one that the page has no room for: that is where `lookedTo`
 * ends then. A process is shown as it is now, also if it was deleted meanwhile. What is long is read in a second round.
 */
export async function viewEvents(
  scope: Reader,
  { events, lookedTo }: EventsUpTo<StoredEvent>,
): Promise<EventsUpTo<TeamEvent>> {
  let shown = await readShown(scope, events, SHORT_BYTES_MAX)
  let page = takeFitting(events, shown)
  const unread = page.filter(event => findReferent(event, shown)?.shown === 'not read')
  if (unread.length > 0) {
    shown = join(shown, await readShown(scope, unread, Number.MAX_SAFE_INTEGER))
    // What was said to be long by its bytes has a text now, or is gone.
    page = takeFitting(page, shown)
  }
  return {
    events: page.map(event => viewEvent(scope.team, event, shown)),
    lookedTo: page.length < events.length ? (page.at(-1)?.sequence ?? 0) : lookedTo,
  }
}

function takeFitting(events: readonly StoredEvent[], shown: EventReferents): readonly StoredEvent[] {
  const bytes = events.map(event => findReferent(event, shown)?.bytes ?? 0)
  return events.slice(0, countFitting(bytes, SHOWN_BYTES_MAX))
}

async function readShown(scope: Reader, events: readonly StoredEvent[], bytesMax: number): Promise<EventReferents> {
  const ofProcesses = events.filter(isOfProcess)
  const references = {
    processes: different(ofProcesses.map(({ key }) => Number(key))),
    customers: different(events.filter(isOfRecord).map(({ key }) => Number(key))),
    records: different(ofProcesses.flatMap(({ after, before }) => listRecordNos(after, before))),
    procedures: different(ofProcesses.flatMap(({ proc }) => proc ?? [])),
  }
  return {
    ...(await readReferred(scope, references, bytesMax)),
    features: await showByFeature(scope, events, bytesMax),
  }
}

const different = (numbers: readonly number[]): number[] => [...new Set(numbers)]

/** `later` has all of what it was asked for: what is not in it was removed meanwhile. */
const join = (earlier: EventReferents, later: EventReferents): EventReferents => ({
  processes: new Map([...onlyRead(earlier.processes), ...later.processes]),
  customers: new Map([...onlyRead(earlier.customers), ...later.customers]),
  features: new Map([...onlyRead(earlier.features), ...later.features]),
  records: new Map([...earlier.records, ...later.records]),
})

const onlyRead = <View>(referents: ReadonlyMap<number, Referent<View>>) =>
  [...referents].filter(([, { shown }]) => shown !== 'not read')

/** What an event shows; undefined: it is gone, or the event says all of it. */
const findReferent = (
  event: StoredEvent,
  { processes, customers, features }: EventReferents,
): Referent<unknown> | undefined =>
  isOfProcess(event)
    ? processes.get(Number(event.key))
    : isOfRecord(event)
      ? customers.get(Number(event.key))
      : features.get(event.sequence)

function viewEvent(team: Team, event: StoredEvent, all: EventReferents): TeamEvent {
  const { sequence, type, at, by } = event
  const entry = isOfProcess(event) || isOfRecord(event) ? event.after.entry : undefined
  const data = viewData(event, all)
  const timestamp = new Date(at).toISOString()
  const shown = {
    id: eventId(team, event),
    sequence,
    type,
    timestamp,
    team: team.id,
    data,
    by: viewAuthor(by, entry),
  }
  // `data` is that of the type: `test/feed/schemas.test.ts` compares an event of each with its schema.
  return shown as TeamEvent
}

function viewData(event: StoredEvent, { processes, customers, features, records }: EventReferents): object {
  if (isOfProcess(event)) return viewProcessData(event, getRead(processes.get(Number(event.key))), records)
  if (isOfRecord(event)) return viewRecordData(event, getRead(customers.get(Number(event.key))))
  return getRead(features.get(event.sequence)) ?? (event.after as object)
}

/** Null: it is gone. */
const getRead = <View>(referent: Referent<View> | undefined): View | null =>
  referent === undefined || referent.shown === 'not read' ? null : referent.shown

/** Without the customer, and without changes, once they are erased. */
const viewRecordData = (
  { after, before }: StoredRecordEvent,
  record: EventData<'record.updated'>['record'],
): EventData<'record.updated' | 'record.merged'> => ({
  id: after.id,
  ...(after.merged === undefined ? {} : { merged: after.merged }),
  record,
  version: before[0] + 1,
  changes: listRecordChanges(after, before),
})

function viewProcessData(
  event: StoredProcessEvent,
  process: EventData<'process.updated'>['process'],
  records: EventReferents['records'],
): EventData<'process.updated' | 'process.next_action_due'> {
  const { after, before } = event
  const due = event.type === 'process.next_action_due' ? { nextActionAt: after.nextActionAt } : {}
  const forced = after.forced ? { forced: true as const } : {}
  return {
    process,
    version: versionAfter(event),
    changes: before ? listFieldChanges(after, before, records) : [],
    ...forced,
    ...due,
  }
}
