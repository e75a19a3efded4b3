import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { openDatabase } from '../../src/db/databases.ts'
import { write } from '../../src/db/write.ts'
import { insertForFeeds } from '../../src/event/feed-rows.ts'
import { newTeam } from '../support/api.ts'
import { loadEvents, switchFeed } from '../support/feed.ts'
import { loadLoggedEvents } from '../support/logged-events.ts'

it('a process that a batch names twice has one event, and no number is left out', async () => {
  const team = await newTeam()
  await switchFeed(team)
  const tell = (...keys: string[]) =>
    insertForFeeds(
      { type: 'template.changed', at: Date.now(), key: sql`named.value`, after: sql`json_object('id', named.value)` },
      join => sql`FROM (SELECT 1) ${join(sql`${team.no}`)} CROSS JOIN json_each(${JSON.stringify(keys)}) named`,
    )
  await write({ db: openDatabase(env), idempotency: null }, { effect: [tell('a', 'b', 'a'), tell('c')], outcome: null })
  expect((await loadLoggedEvents(team)).map(({ sequence, count }) => [sequence, count])).toEqual([
    [2, 2],
    [3, 1],
  ])
  expect((await loadEvents(team)).map(({ sequence, key }) => [sequence, key])).toEqual([
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
  ])
})
