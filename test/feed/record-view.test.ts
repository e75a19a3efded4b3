import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { openDatabase } from '../../src/db/databases.ts'
import { readEvents } from '../../src/event/read.ts'
import { viewEvents } from '../../src/feed/view.ts'
import type { Team } from '../support/api.ts'
import { bulk, LEADS, newLeadTeam } from '../support/jobs.ts'

const RECORD = '/v1/ext/record'

async function shown({ no, id }: Team) {
  const team = { no, id, shortId: 'acme', name: 'Acme', eventFeedSince: 1 }
  const scope = { db: openDatabase(env), team }
  const { events } = await viewEvents(scope, await readEvents(scope, { after: 0, limit: 100 }))
  return events.filter(({ type }) => type.startsWith('record.'))
}

it('an event of a customer has the customer as it is now, its version and the changes; of an erased one only the id', async () => {
  const team = await newLeadTeam()
  const made = await team.call('POST', LEADS, { record: { data: { phone: '1', name: 'A', city: 'Ulm' } } })
  const { id } = made.data.record
  await team.call('PUT', `${RECORD}/${id}`, { data: { name: 'B', city: null, tags: [1] } })
  await bulk(team, 'POST', [{ data: { lead_id: 'A' } }, { record: { data: { phone: '1', name: 'B', city: 'Oslo' } } }])
  const record = (await team.call('GET', `${RECORD}/${id}`)).data
  const events = await shown(team)
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    [
      'record.updated',
      {
        id,
        record,
        version: 2,
        changes: [
          { field: 'data.name', from: 'A', to: 'B' },
          { field: 'data.tags', from: null, to: [1] },
          { field: 'data.city', from: 'Ulm', to: null },
        ],
      },
    ],
    ['record.updated', { id, record, version: 3, changes: [{ field: 'data.city', from: null, to: 'Oslo' }] }],
  ])
  expect(events.map(({ by }) => [by.request === null, by.job === null, by.entry])).toEqual([
    [false, true, null],
    [true, false, 1],
  ])
  await team.call('DELETE', `${RECORD}/${id}`)
  expect((await shown(team)).map(({ type, data }) => [type, data])).toEqual([
    ['record.updated', { id, record: null, version: 2, changes: [] }],
    ['record.updated', { id, record: null, version: 3, changes: [] }],
    ['record.erased', { id }],
  ])
})
