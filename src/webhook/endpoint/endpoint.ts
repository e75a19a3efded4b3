import type { Db } from '../../db/client.ts'
import { type RowIdentity, selectRow } from '../../event/read.ts'
import type { Team } from '../../scope.ts'
import { type DeliveryState, readWaiting } from '../delivery-rules.ts'
import { type EventRange, makeDue, newSource } from './sources.ts'
import { type EndpointName, selectEndpoint, selectReplays } from './store.ts'

type EndpointRow = NonNullable<ReturnType<typeof selectEndpoint>['row']>

/** An endpoint as a pass loads it from the database. */
export interface Endpoint {
  row: EndpointRow
  team: Team
  filter: { types?: string[]; procedures?: number[] }
  state: DeliveryState
  /** The ranges to send: new events, then the replays in their order. */
  sources: EventRange[]
  /** The replays whose events wait now, so that their rows can go. */
  namedReplays: string[]
  /** The last row of the log that was read, or that the Durable Object remembers and is still there. */
  lastRow: RowIdentity | null
}

/** Loads an endpoint; null if it was removed. `remembered` is the last row of the log that the Durable Object knows. */
export async function loadEndpoint(
  db: Db,
  name: EndpointName,
  remembered: RowIdentity | null,
): Promise<Endpoint | null> {
  const rowNow = remembered === null ? [] : [selectRow(name.team, remembered.sequence)]
  const [[row], replays, [found] = []] = await db.read(selectEndpoint(name), selectReplays(name), ...rowNow)
  if (!row) return null
  const { teamId, teamShortId, teamName, eventFeedSince, heldUntil, failingSince } = row
  const wanted = replays.map(({ only, ...each }) => ({ ...each, only: JSON.parse(only ?? 'null') as number[] | null }))
  // In strict order an event whose turn has not come can't be due: it is sent once more after its turn.
  const isDueNow = ({ only, last }: (typeof wanted)[number]) =>
    only !== null && (row.order === 'any' || last <= row.position)
  const named = wanted.filter(isDueNow)
  const waiting = readWaiting(row.waiting)
  return {
    row,
    team: { no: name.team, id: teamId, shortId: teamShortId, name: teamName, eventFeedSince },
    filter: {
      ...(row.types === null ? {} : { types: row.types }),
      ...(row.procedureNumbers === null ? {} : { procedures: JSON.parse(row.procedureNumbers) as number[] }),
    },
    state: makeDue(
      { waiting, heldUntil, failingSince },
      named.flatMap(({ only }) => only ?? []),
      Date.now(),
    ),
    sources: [
      newSource({ replay: null, only: null }, row.position, Number.POSITIVE_INFINITY),
      ...wanted
        .filter(each => !isDueNow(each))
        .map(({ id, only, position, last }) => newSource({ replay: id, only }, position, last)),
    ],
    namedReplays: named.map(({ id }) => id),
    lastRow: found !== undefined && found.at === remembered?.at ? remembered : null,
  }
}
