import type { Db } from '../../db/client.ts'
import type { EventType } from '../../event/types.ts'
import type { Team } from '../../scope.ts'
import type { DeliveryState, WaitingEvent } from '../delivery-rules.ts'
import { type EventRange, makeDue, newSource } from './sources.ts'
import { type EndpointName, selectEndpoint, selectReplays } from './statements.ts'

type EndpointRow = NonNullable<ReturnType<typeof selectEndpoint>['row']>

/** An endpoint as the database has it: what a pass begins with. */
export interface Endpoint {
  row: EndpointRow
  team: Team
  filter: { types?: EventType[]; procedures?: number[] }
  state: DeliveryState
  /** What is new, then the replays in their order. */
  sources: EventRange[]
  /** Replays that named their events, which wait now: their rows have no more purpose. */
  namedReplays: string[]
}

/** Null: it was removed. */
export async function loadEndpoint(db: Db, name: EndpointName): Promise<Endpoint | null> {
  const [[row], replays] = await db.read(selectEndpoint(name), selectReplays(name))
  if (!row) return null
  const { teamId, teamShortId, teamName, eventFeedSince, heldUntil, failingSince } = row
  const named = replays.filter(({ only }) => only !== null)
  const waiting = JSON.parse(row.waiting) as WaitingEvent[]
  return {
    row,
    team: { no: name.team, id: teamId, shortId: teamShortId, name: teamName, eventFeedSince },
    filter: {
      ...(row.types === null ? {} : { types: row.types as EventType[] }),
      ...(row.procedureNumbers === null ? {} : { procedures: JSON.parse(row.procedureNumbers) as number[] }),
    },
    state: makeDue(
      { waiting, heldUntil, failingSince },
      named.flatMap(({ only }) => JSON.parse(only ?? '[]') as number[]),
      Date.now(),
    ),
    sources: [
      newSource(null, row.position, Number.POSITIVE_INFINITY),
      ...replays.filter(({ only }) => only === null).map(each => newSource(each.id, each.position, each.last)),
    ],
    namedReplays: named.map(({ id }) => id),
  }
}
