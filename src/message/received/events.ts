import { sql } from 'drizzle-orm'
import type { Statement } from '../../db/statement.ts'
import { insertForFeeds } from '../../event/feed-rows.ts'
import { toRowNo } from '../../ids.ts'
import { message } from '../table.ts'

/** What an event keeps of a message that was received, by its row number. */
export interface ReceivedEventDetails {
  id: string
}

/** The events of messages that the statement before inserted: no other transaction has their ids. One row for each team. */
export function insertReceivedEvents(messages: readonly { team: number; id: string }[], at: number): Statement {
  const teams = [...Map.groupBy(messages, ({ team }) => team)].map(([team, some]) => ({
    team,
    messages: some.map(({ id }) => ({ rid: toRowNo(id), id })),
  }))
  return insertForFeeds(
    { type: 'message.received', at, key: message.rid.getSQL(), after: sql`json_object('id', ${message.id})` },
    join => sql`FROM json_each(${JSON.stringify(teams)}) told ${join(sql`told.value ->> '$.team'`)}
      CROSS JOIN json_each(told.value, '$.messages') new CROSS JOIN ${message}
        ON ${message.rid} = new.value ->> '$.rid' AND ${message.id} = new.value ->> '$.id'`,
  )
}
