import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { LEADS, newLeadTeam } from '../support/jobs.ts'
import { loadLoggedEvents } from '../support/logged-events.ts'

// Code from before the log changes processes without telling it: in a gradual deployment, and after a rollback.

const RECORD = '/v1/ext/record'

const writeAsOlderCode = (team: Team, sql: string) => env.DB.prepare(sql).bind(team.no).run()

async function told(team: Team) {
  const events = await loadLoggedEvents(team)
  return events.flatMap(({ sequence, type, after, before }) =>
    Object.keys(after).map(rid => [sequence, type, before?.[rid]?.slice(0, 2) ?? after[rid]?.last]),
  )
}

it('code from before the log leaves its own changes out; those before and after are shown, without a gap in the numbers', async () => {
  const team = await newLeadTeam()
  const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A' }, record: { data: { phone: '1' } } })
  await team.call('PUT', `${LEADS}/${data.id}`, { data: { score: 1 } })
  await team.call('PUT', `${RECORD}/${data.record.id}`, { data: { name: 'A' } })
  await writeAsOlderCode(
    team,
    `UPDATE process SET data = jsonb_set(data, '$.score', 2), version = version + 1 WHERE team = ?`,
  )
  await writeAsOlderCode(
    team,
    `UPDATE record SET data = jsonb_set(data, '$.name', 'B'), version = version + 1 WHERE team = ?`,
  )
  const { data: shown } = await team.call('PUT', `${LEADS}/${data.id}`, { data: { score: 3 } })
  await team.call('PUT', `${RECORD}/${data.record.id}`, { data: { name: 'C' } })
  expect(shown.data.score).toBe(3)
  expect(await told(team)).toEqual([
    [1, 'process.created', undefined],
    [2, 'process.updated', [1, 1]],
    [3, 'record.updated', [1, null]],
    [4, 'process.updated', [3, 2]],
    [5, 'record.updated', [3, 3]],
  ])
  expect((await loadLoggedEvents(team)).slice(-2).map(({ before }) => Object.values(before ?? {})[0]?.at(-1))).toEqual([
    [[2]],
    [['B']],
  ])
})

it('code from before the log makes and deletes processes without events; later ones are shown from then on', async () => {
  const team = await newLeadTeam()
  const { data: made } = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
  const { data: deleted } = await team.call('POST', LEADS, { data: { lead_id: 'B' } })
  await team.call('DELETE', `${LEADS}/${deleted.id}`)
  await writeAsOlderCode(team, 'UPDATE process SET last_event = NULL WHERE team = ?')
  await writeAsOlderCode(
    team,
    `UPDATE process_trash SET row = jsonb_remove(row, '$.lastEvent', '$.notifiedDueAt') WHERE team = ?`,
  )
  await team.call('PUT', `${LEADS}/${made.id}`, { data: { score: 1 } })
  expect((await team.call('POST', `${LEADS}/${deleted.id}/restore`)).status).toBe(200)
  await team.call('PUT', `${LEADS}/${deleted.id}`, { data: { score: 1 } })
  expect((await told(team)).slice(-3)).toEqual([
    [4, 'process.updated', [1, null]],
    [5, 'process.restored', null],
    [6, 'process.updated', [2, 5]],
  ])
})
