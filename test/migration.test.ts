import { applyD1Migrations, type D1Migration } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import start from '../drizzle/0000_start.sql?raw'
import jobTitle from '../drizzle/0001_job_title.sql?raw'
import teamSuspension from '../drizzle/0002_team_suspension.sql?raw'
import searchTerms from '../drizzle/0003_search_terms.sql?raw'
import eventObject from '../drizzle/0004_event_object.sql?raw'
import teamAllowance from '../drizzle/0005_team_allowance.sql?raw'
import messageSteps from '../drizzle/0006_message_steps.sql?raw'
import { splitStatements, unsafeStatements } from '../scripts/installation/migrations.ts'
import wrangler from '../wrangler.toml?raw'
import additive from './migrations/0001_additive.sql?raw'
import { bulk, LEADS, leadProcedure, newLeadTeam, waitForJob } from './support/jobs.ts'
import { connectPlugin, newNumber } from './support/provider.ts'

/** Deployed databases have run these files. A change of the schema is a new file beside them; see CONTRIBUTING.md. */
const RELEASED: [migration: string, sha256: string][] = [
  [start, '2aa38152b79239a26e5b9e1939f310235cb6cff951654c6c32f4bdc52b71a443'],
  [jobTitle, 'e9cff000b8348dad5069aa38f72635494810f11d698da986c08bb9700eb92d35'],
  [teamSuspension, '986badb4f367720e95cf78a1e748e9118b4800a3cfcb052aad23b703f05145d8'],
  [searchTerms, 'e9ef84759c275b044e2816ebdacf0f6ffd3ac7b127d388dfee465ee7680b43de'],
  [eventObject, '4ed5b370a605bf885241e1fd820a3db79a6957141b1a98905f6bd312aee4b1ec'],
  [teamAllowance, 'bf3e7fd31150684644b2ab735c22f4260060a86f686bf474f059d62c8ea2fb4a'],
  [messageSteps, 'a93e428a5c86a593d3fdd4f0ca231ab0906d26bc65b057ae6c888f4b7c9f4ece'],
]

const sha256 = async (text: string): Promise<string> => {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(hash, byte => byte.toString(16).padStart(2, '0')).join('')
}

describe('the schema', () => {
  it('is frozen: migrations of deployed databases do not change', async () => {
    for (const [migration, expected] of RELEASED) expect(await sha256(migration)).toBe(expected)
  })

  it('has the team in every table, so that all rows of a team can be found', async () => {
    const { results } = await env.DB.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table'").all<{
      name: string
      sql: string
    }>()
    // The index of words is no table with rows of its own: its row is that of the process.
    const own = results.filter(({ name }) => !/^(sqlite_|d1_|_cf_|process_search)/.test(name))
    expect(own.length).toBeGreaterThan(10)
    const lacking = own.filter(({ name, sql }) => name !== 'team' && !/[`"]?\bteam\b[`"]? integer NOT NULL/i.test(sql))
    expect(lacking.map(({ name }) => name)).toEqual([])
  })

  it('is changed by additive migrations only', () => {
    const later = env.TEST_MIGRATIONS.slice(1).flatMap(({ queries }) => queries)
    expect(unsafeStatements([...later, ...splitStatements(additive)])).toEqual([])
    const unsafe = [
      'DROP TABLE `process`',
      'ALTER TABLE `process` RENAME COLUMN `state` TO `stage`',
      'CREATE INDEX `process_priority` ON `process` (`proc`,`priority`)',
      'CREATE TABLE `__new_process` (`rid` integer)',
      'ALTER TABLE `process` ADD `priority` integer NOT NULL',
      "UPDATE `process` SET `state` = 'NEW'",
    ]
    expect(unsafeStatements(unsafe)).toEqual(unsafe)
  })
})

it('a second migration is applied over earlier data, and everything still works', async () => {
  const team = await newLeadTeam()
  const whatsapp = await connectPlugin(team)
  const sent = await whatsapp.send(newNumber())
  const key = { 'idempotency-key': 'before-the-migration' }
  const body = { data: { lead_id: 'A', city: 'Pune' }, record: { data: { phone: '919448300001' } } }
  const before = await team.call('POST', LEADS, body, key)
  const deleted = await team.call('POST', LEADS, { data: { lead_id: 'B' } })
  await team.call('DELETE', `${LEADS}/${deleted.data.id}`)
  const update = { processes: [{ lead_id: 'A', update: { data: { city: 'Goa' } } }] }
  const job = await team.call('PATCH', LEADS, update)
  expect(job.status).toBe(202)

  const second: D1Migration = { name: '0001_additive.sql', queries: splitStatements(additive) }
  await applyD1Migrations(env.DB, [...env.TEST_MIGRATIONS, second])
  expect(await env.DB.prepare('SELECT count(priority) AS some FROM process').first()).toEqual({ some: 0 })

  expect((await waitForJob(team, job.data.id)).data.completionStatus).toBe('SUCCESS')
  const replayed = await team.call('POST', LEADS, body, key)
  expect(replayed.headers.get('idempotency-replayed')).toBe('true')
  expect(replayed.data.id).toBe(before.data.id)
  const fetched = await team.call('GET', `${LEADS}/lead_id/A`)
  expect(fetched.data).toMatchObject({ data: { lead_id: 'A', city: 'Goa' }, record: { data: body.record.data } })
  expect((await team.call('PUT', `${LEADS}/lead_id/A`, { state: 'WON' })).data.state).toBe('WON')
  expect((await team.call('POST', LEADS, { data: { lead_id: 'C' }, record: body.record })).data.record.id).toBe(
    fetched.data.record.id,
  )
  expect((await team.call('POST', `${LEADS}/${deleted.data.id}/restore`)).status).toBe(200)
  const created = await bulk(team, 'POST', [{ lead_id: 'D', data: {} }])
  expect(created.data.completionStatus).toBe('SUCCESS')
  const listed = await team.call('POST', `${LEADS}/list`, {
    where: { status: 'OPEN' },
    sort: [{ field: 'lead_id', order: 'asc' }],
  })
  expect(listed.data.map((each: { data: { lead_id: string } }) => each.data.lead_id)).toEqual(['A', 'B', 'C', 'D'])
  expect((await whatsapp.send(newNumber())).status).toBe(sent.status)
  await leadProcedure(team, { name: 'Renamed' })
  expect((await team.call('GET', '/v1/ext/procedure/lead')).data.name).toBe('Renamed')
})

/** Cloudflare applies the tags that a deployed Worker has not seen, in this order. */
const OBJECT_TAGS = [
  ['v1', ['JobProgress', 'NumberRateLimiter']],
  ['team-budget', ['TeamBudget']],
  ['message-sender', ['MessageSender']],
  ['database-contention', ['DatabaseContention']],
  ['due-actions', ['DueActions']],
  ['webhook-endpoint', ['WebhookEndpoint']],
  ['team-events', ['TeamEvents']],
]

// A deployment that adds a class cannot be taken back to the version before it. So a release that adds one here changes
// nothing else: then there is a version to go back to.
it('the classes of objects are frozen: a new one gets a tag of its own after these, and a release of its own', () => {
  const tags = [...wrangler.matchAll(/\[\[migrations\]\]\ntag = (".*")\nnew_sqlite_classes = (\[.*\])/g)]
  expect(tags.map(([, tag = '', classes = '']) => [JSON.parse(tag), JSON.parse(classes)])).toEqual(OBJECT_TAGS)
  expect(wrangler.match(/\[\[migrations\]\]/g)?.length).toBe(OBJECT_TAGS.length)
})
