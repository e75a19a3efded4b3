import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { randomFaults, survivesFaults, twice } from '../support/faults.ts'
import { type FaultInjection, Harness } from '../support/harness.ts'
import {
  bulk,
  JOBS,
  LEADS,
  leadProcedure,
  listEntries,
  newLeadTeam,
  rowEntriesBy,
  waitForJob,
} from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'
import { createRandom } from '../support/random.ts'
import { SEED } from '../support/seed.ts'

interface Change {
  field: string
  from: unknown
  to: unknown
}
interface Shown {
  completionStatus: string
  completionMessage: string
  completionResult: {
    id?: string
    primaryKey?: string
    code?: string
    changes?: Change[]
    more?: number
    errors?: Record<string, unknown>[]
  }
}

const KEYS = ['A', 'B', 'C', 'D']
const VARS = { JOB_TUNING: { chunkEntries: 4 } }

async function createLeads(keys: readonly string[] = KEYS): Promise<Team> {
  const team = await newLeadTeam()
  if (keys.length > 0) await bulk(team, 'POST', { processes: keys.map(lead_id => ({ lead_id, data: { score: 1 } })) })
  return team
}

/** Every row of a team that a change of processes would touch, as it is stored. */
async function loadRows(team: Team): Promise<unknown> {
  const tables = [
    'process',
    'process_trash',
    'process_value',
    'event',
    'record',
    'record_identity',
    'record_word',
    'message',
  ]
  const read = await env.DB.batch(
    tables.map(name => env.DB.prepare(`SELECT * FROM ${name} WHERE team = ?`).bind(team.no)),
  )
  return read.map(({ results }) => JSON.stringify(results))
}

const projected = async (team: Team): Promise<number> =>
  (
    await env.DB.prepare('SELECT count(*) AS n FROM dry_run_process WHERE team = ?')
      .bind(team.no)
      .first<{ n: number }>()
  )?.n ?? -1

async function dryRun(team: Team, method: 'PATCH' | 'POST', body: unknown): Promise<{ id: string; entries: Shown[] }> {
  const path = method === 'PATCH' ? LEADS : `${LEADS}/bulk-create`
  const reply = await team.call(method, `${path}?dryRun=true`, body)
  expect(reply.errors).toEqual([])
  expect(reply.data).toMatchObject({ dryRun: true, applyOf: null })
  await waitForJob(team, reply.data.id)
  return { id: reply.data.id, entries: await listEntries(team, reply.data.id) }
}

async function apply(team: Team, id: string): Promise<{ id: string; entries: Shown[] }> {
  const reply = await team.call('POST', `${JOBS}/${id}/apply`)
  expect(reply.errors).toEqual([])
  expect(reply.status).toBe(202)
  expect(reply.data).toMatchObject({ dryRun: false, applyOf: id })
  await waitForJob(team, reply.data.id)
  return { id: reply.data.id, entries: await listEntries(team, reply.data.id) }
}

const lead = async (team: Team, key: string) => (await team.call('GET', `${LEADS}/lead_id/${key}`)).data

const outcomes = (entries: Shown[]) => entries.map(each => [each.completionStatus, each.completionMessage])
const codes = (entries: Shown[]) => entries.map(each => each.completionResult?.code ?? each.completionStatus)
const changesIn = (entries: Shown[]) => entries.map(each => each.completionResult.changes)

describe('a dry run', () => {
  it('says what each entry would change, and changes nothing whatsoever', async () => {
    const team = await createLeads()
    const before = await loadRows(team)
    const { entries } = await dryRun(team, 'PATCH', {
      processes: [
        { lead_id: 'A', data: { score: 2, city: 'Goa' }, state: 'IN_PROGRESS', assignedTo: 'admin' },
        { lead_id: 'B', isDeleted: true },
        { lead_id: 'Z', data: { score: 3 } },
        { lead_id: 'C', data: { score: 'many' } },
        { lead_id: 'D', data: { score: 1 } },
        { lead_id: 'C', status: 'COMPLETED', data: { score: null } },
      ],
    })
    expect(await loadRows(team)).toEqual(before)
    expect(codes(entries)).toEqual(['SUCCESS', 'SUCCESS', 'not_found', 'invalid_request', 'SUCCESS', 'SUCCESS'])
    const [a] = entries
    expect(a?.completionResult).toMatchObject({ id: (await lead(team, 'A')).id, primaryKey: 'A' })
    expect(changesIn(entries)[0]).toEqual([
      { field: 'state', from: 'NEW', to: 'IN_PROGRESS' },
      { field: 'assignedTo', from: null, to: team.admin },
      { field: 'data.score', from: 1, to: 2 },
      { field: 'data.city', from: null, to: 'Goa' },
    ])
    expect(changesIn(entries)[1]).toEqual([{ field: 'isDeleted', from: false, to: true }])
    expect(changesIn(entries)[4]).toEqual([])
    expect(changesIn(entries)[5]).toEqual([
      { field: 'status', from: 'OPEN', to: 'COMPLETED' },
      { field: 'state', from: 'NEW', to: 'WON' },
      { field: 'data.score', from: 1, to: null },
    ])
  })

  it('lists for creations what they would set, and no ids, since there are none', async () => {
    const team = await createLeads(['A'])
    const phone = newNumber()
    const before = await loadRows(team)
    const { entries } = await dryRun(team, 'POST', {
      processes: [
        { lead_id: 'N', data: { score: 5 }, record: { data: { phone } } },
        { lead_id: 'A' },
        { lead_id: 'N' },
      ],
    })
    expect(await loadRows(team)).toEqual(before)
    expect(codes(entries)).toEqual(['SUCCESS', 'duplicate_primary_key', 'duplicate_primary_key'])
    expect(entries[0]?.completionResult).toEqual({
      primaryKey: 'N',
      planned: { version: null },
      changes: [
        { field: 'status', from: null, to: 'OPEN' },
        { field: 'state', from: null, to: 'NEW' },
        { field: 'record', from: null, to: { isNew: true, data: { phone } } },
        { field: 'data.score', from: null, to: 5 },
        { field: 'data.lead_id', from: null, to: 'N' },
      ],
    })
    expect(entries[1]?.completionResult.errors?.[0]).toHaveProperty('processId')
    expect(entries[2]?.completionResult.errors?.[0]).not.toHaveProperty('processId')
  })

  it('says how many changes it has left out because values are large', async () => {
    const team = await createLeads(['A'])
    const processes = [{ lead_id: 'A', data: { note: 'x'.repeat(5_000), city: 'Goa' } }]
    const { entries } = await dryRun(team, 'PATCH', { processes })
    expect(entries[0]?.completionResult).toMatchObject({
      changes: [{ field: 'data.city', from: null, to: 'Goa' }],
      more: 1,
    })
  })

  it('finds the same matches of a query as the job would', async () => {
    const team = await createLeads()
    const { entries } = await dryRun(team, 'PATCH', { where: {}, all: true, update: { data: { score: 9 } } })
    expect(entries.map(each => each.completionResult.changes)).toEqual(
      KEYS.map(() => [{ field: 'data.score', from: 1, to: 9 }]),
    )
  })

  it('takes true or false, and nothing else', async () => {
    const team = await createLeads([])
    const reply = await team.call('PATCH', `${LEADS}?dryRun=yes`, { processes: [{ lead_id: 'A' }] })
    expect(reply.status).toBe(400)
    const real = await team.call('PATCH', `${LEADS}?dryRun=false`, { processes: [{ lead_id: 'A' }] })
    expect(real.data).toMatchObject({ dryRun: false })
  })

  it('counts as another request than the real one for an idempotency key', async () => {
    const team = await createLeads(['A'])
    const body = { processes: [{ lead_id: 'A', data: { score: 2 } }] }
    const key = { 'idempotency-key': 'one' }
    expect((await team.call('PATCH', `${LEADS}?dryRun=true`, body, key)).status).toBe(202)
    expect((await team.call('PATCH', LEADS, body, key)).status).toBe(422)
  })

  it('is retried as a dry run of the entries that failed', async () => {
    const team = await createLeads(['A'])
    const { id } = await dryRun(team, 'PATCH', { processes: [{ lead_id: 'A', data: { score: 2 } }, { lead_id: 'B' }] })
    await team.call('POST', LEADS, { data: { lead_id: 'B' } })
    const retried = await team.call('POST', `${JOBS}/${id}/retry`)
    expect(retried.data).toMatchObject({ dryRun: true, retryOf: id, total: 1 })
    await waitForJob(team, retried.data.id)
    expect(codes(await listEntries(team, retried.data.id))).toEqual(['SUCCESS'])
  })

  it('removes what it has projected a minute after its end', async () => {
    const team = await createLeads()
    const harness = new Harness(VARS)
    const processes = [...KEYS, ...KEYS].map((lead_id, nth) => ({ lead_id, data: { score: nth } }))
    await harness.request(team, 'PATCH', `${LEADS}?dryRun=true`, { processes })
    await harness.settle(team)
    expect(await projected(team)).toBeGreaterThan(0)
    await harness.runCron()
    expect(await projected(team)).toBe(0)
  })
})

describe('a dry run that is applied', () => {
  it('changes what it showed, and gives its other entries the outcomes that it showed', async () => {
    const team = await createLeads()
    const before = await Promise.all(KEYS.map(key => lead(team, key)))
    const { id, entries } = await dryRun(team, 'PATCH', {
      processes: [
        { lead_id: 'A', data: { score: 2 }, state: 'IN_PROGRESS' },
        { lead_id: 'Z', data: { score: 3 } },
        { lead_id: 'C', data: { score: 'many' } },
        { lead_id: 'D', isDeleted: true },
      ],
    })
    const applied = await apply(team, id)
    expect(outcomes(applied.entries)).toEqual(outcomes(entries))
    expect(await lead(team, 'A')).toMatchObject({ state: 'IN_PROGRESS', data: { ...before[0].data, score: 2 } })
    expect(await lead(team, 'B')).toEqual(before[1])
    expect((await team.call('GET', `${LEADS}/lead_id/D`)).status).toBe(404)
  })

  it('leaves alone what others have updated, deleted, created or restored since', async () => {
    const team = await createLeads()
    const gone = (await lead(team, 'D')).id
    await team.call('DELETE', `${LEADS}/${gone}`)
    const created = await dryRun(team, 'POST', { processes: [{ lead_id: 'N' }, { lead_id: 'M' }] })
    const { id } = await dryRun(team, 'PATCH', {
      processes: [
        { lead_id: 'A', data: { score: 2 } },
        { lead_id: 'B', data: { score: 2 } },
        { lead_id: 'C', data: { score: 2 } },
        { id: gone, isDeleted: false },
      ],
    })
    await team.call('PUT', `${LEADS}/lead_id/A`, { data: { city: 'Pune' } })
    await team.call('DELETE', `${LEADS}/lead_id/B`)
    await team.call('POST', `${LEADS}/${gone}/restore`)
    await team.call('POST', LEADS, { data: { lead_id: 'N' } })
    const applied = await apply(team, id)
    expect(codes(applied.entries)).toEqual(['changed_since', 'changed_since', 'SUCCESS', 'changed_since'])
    expect(codes((await apply(team, created.id)).entries)).toEqual(['changed_since', 'SUCCESS'])
    expect((await lead(team, 'A')).data).toEqual({ lead_id: 'A', score: 1, city: 'Pune' })
    expect((await lead(team, 'C')).data.score).toBe(2)
  })

  it('leaves alone another process that has the primary key and the version by now', async () => {
    const team = await createLeads(['A', 'B', 'C'])
    const { id: trashed } = await lead(team, 'C')
    await team.call('DELETE', `${LEADS}/${trashed}`)
    const update = { data: { score: 2 } }
    const plans = [
      await dryRun(team, 'PATCH', [
        { lead_id: 'A', update },
        { lead_id: 'B', isDeleted: true },
        { lead_id: 'C', isDeleted: false },
      ]),
    ]
    const upserted = await team.call('POST', `${LEADS}/bulk-upsert?dryRun=true`, [{ lead_id: 'A', data: { score: 3 } }])
    await waitForJob(team, upserted.data.id)
    for (const lead_id of ['A', 'B']) {
      await team.call('DELETE', `${LEADS}/lead_id/${lead_id}`)
      await team.call('POST', LEADS, { data: { lead_id, score: 1 } })
    }
    const { data: other } = await team.call('POST', LEADS, { data: { lead_id: 'C', score: 1 } })
    await team.call('DELETE', `${LEADS}/${other.id}`)
    const made = [await lead(team, 'A'), await lead(team, 'B')]
    for (const { id } of [...plans, upserted.data]) {
      const { entries } = await apply(team, id)
      expect(codes(entries)).toEqual(entries.map(() => 'changed_since'))
      expect(entries[0]?.completionMessage).toMatch(/^since the dry run process A was created by the API key /)
    }
    expect([await lead(team, 'A'), await lead(team, 'B')]).toEqual(made)
    expect((await team.call('GET', `${LEADS}/lead_id/C`)).status).toBe(404)
  })

  it('names who has changed what it leaves alone, and when, by update, upsert, creation and restoration', async () => {
    const team = await createLeads(['A', 'B', 'C', 'D', 'E'])
    const { name } = (await team.call('GET', '/v1/ext/api-key')).data[0]
    const ids = new Map<string, string>()
    for (const key of ['B', 'D', 'E']) ids.set(key, (await lead(team, key)).id)
    for (const key of ['D', 'E']) await team.call('DELETE', `${LEADS}/${ids.get(key)}`)
    const plan = async (method: 'POST' | 'PATCH', path: string, body: unknown) => {
      const { data } = await team.call(method, `${path}?dryRun=true`, body)
      await waitForJob(team, data.id)
      return data.id as string
    }
    const update = { data: { score: 2 } }
    const plans = [
      await plan('PATCH', LEADS, [
        { lead_id: 'A', update },
        { lead_id: 'A', update: { data: { score: 3 } } },
        { lead_id: 'B', update },
        { id: ids.get('B'), update },
        { lead_id: 'C', update },
      ]),
      await plan('POST', `${LEADS}/bulk-upsert`, [{ lead_id: 'A' }, { lead_id: 'B' }, { lead_id: 'N' }]),
      await plan('POST', `${LEADS}/bulk-create`, [{ lead_id: 'N' }, { lead_id: 'M' }]),
      await plan('PATCH', LEADS, [
        { id: ids.get('D'), isDeleted: false },
        { id: ids.get('E'), isDeleted: false },
      ]),
    ]
    await team.call('PUT', `${LEADS}/lead_id/A`, { data: { city: 'Pune' } })
    await team.call('DELETE', `${LEADS}/lead_id/B`)
    const { data: other } = await bulk(team, 'PATCH', [{ lead_id: 'C', update: { data: { city: 'Goa' } } }])
    await team.call('POST', LEADS, { data: { lead_id: 'N' } })
    await team.call('POST', `${LEADS}/${ids.get('D')}/restore`)
    await team.call('POST', `${LEADS}/${ids.get('E')}/restore`)
    await team.call('DELETE', `${LEADS}/${ids.get('E')}`)
    const said: unknown[][] = []
    for (const id of plans)
      said.push(
        (await apply(team, id)).entries.map(({ completionMessage, completionResult: { errors: [error] = [] } }) =>
          error === undefined
            ? 'done'
            : [
                completionMessage.replace(/20[-0-9T:.]+Z/, 'NOW'),
                error.event,
                (error.by as Record<string, unknown> | undefined)?.job ?? null,
                typeof error.at,
              ],
        ),
      )
    const by = (what: string, verb: string, who = `the API key ${name}`) =>
      `since the dry run process ${what} was ${verb} by ${who}, at NOW (make another dry run, and look at what it would change now)`
    const row = (what: string, verb: string) => [
      by(what, verb),
      `process.${verb.replace('changed', 'updated')}`,
      null,
      'number',
    ]
    expect(said).toEqual([
      [
        row('A', 'changed'),
        row('A', 'changed'),
        row('B', 'deleted'),
        row('B', 'deleted'),
        [by('C', 'changed', `the background job ${other.id}`), 'process.updated', other.id, 'number'],
      ],
      [row('A', 'changed'), row('B', 'deleted'), row('N', 'created')],
      [row('N', 'created'), 'done'],
      [row('D', 'restored'), row('E', 'deleted')],
    ])
  })

  it('names what a plan by filter has found by its primary key, there or deleted', async () => {
    const team = await createLeads(['A', 'B'])
    const { id } = await dryRun(team, 'PATCH', { where: { score: 1 }, update: { data: { score: 2 } } })
    await team.call('PUT', `${LEADS}/lead_id/A`, { data: { city: 'Pune' } })
    await team.call('DELETE', `${LEADS}/lead_id/B`)
    const { entries } = await apply(team, id)
    const said = entries.map(({ completionMessage: text, completionResult: { primaryKey } }) => [
      /^since the dry run process \S+ was \S+/.exec(text)?.[0],
      primaryKey,
    ])
    expect(said.sort()).toEqual([
      ['since the dry run process A was changed', 'A'],
      ['since the dry run process B was deleted', 'B'],
    ])
  })

  it('names nobody where an entry before it was refused, since nobody else has changed the process', async () => {
    const team = await createLeads(['A'])
    const { id } = await dryRun(team, 'PATCH', {
      processes: [
        { lead_id: 'A', state: 'LOST' },
        { lead_id: 'A', data: { score: 2 } },
      ],
    })
    await leadProcedure(team, { states: [{ shortId: 'NEW' }, { shortId: 'WON' }] })
    const { entries } = await apply(team, id)
    expect(entries[1]?.completionMessage).toMatch(/^since the dry run process A has changed \(make another dry run/)
  })

  it('leaves alone what another changes between its reading and its writing', async () => {
    const team = await createLeads(['A', 'B'])
    const { id } = await dryRun(team, 'PATCH', {
      processes: ['A', 'B'].map(lead_id => ({ lead_id, data: { score: 2 } })),
    })
    let isDone = false
    const harness = new Harness(VARS, {
      before: async ({ kind, trigger, sql }) => {
        if (isDone || kind !== 'database' || trigger !== 'message' || !sql.includes('INTO "job_outcome"')) return
        isDone = true
        await team.call('PUT', `${LEADS}/lead_id/A`, { data: { score: 7 } })
      },
    })
    const { body } = await harness.request(team, 'POST', `${JOBS}/${id}/apply`)
    await harness.settle(team)
    expect(isDone).toBe(true)
    expect(codes(await listEntries(team, body._data.id))).toEqual(['changed_since', 'SUCCESS'])
    expect((await lead(team, 'A')).data.score).toBe(7)
  })

  it('checks each entry by the definition of then, and needs the permission to change jobs', async () => {
    const team = await createLeads(['A', 'B'])
    const { id } = await dryRun(team, 'PATCH', {
      processes: [
        { lead_id: 'A', state: 'LOST' },
        { lead_id: 'B', isDeleted: true },
      ],
    })
    await leadProcedure(team, { states: [{ shortId: 'NEW' }, { shortId: 'WON' }] })
    expect((await (await team.as('agent')).call('POST', `${JOBS}/${id}/apply`)).status).toBe(403)
    const { entries } = await apply(team, id)
    expect(entries[0]?.completionMessage).toContain('there is no state "LOST"')
    expect(entries.map(each => each.completionStatus)).toEqual(['INVALID', 'SUCCESS'])
  })

  it('is applied once, however many requests come at the same time', async () => {
    const team = await createLeads(['A'])
    const { id } = await dryRun(team, 'PATCH', { processes: [{ lead_id: 'A', data: { score: 2 } }] })
    const replies = await Promise.all([1, 2, 3].map(() => team.call('POST', `${JOBS}/${id}/apply`)))
    const [first, ...others] = replies.toSorted((one, other) => one.status - other.status)
    expect([first?.status, ...others.map(each => each.status)]).toEqual([202, 409, 409])
    for (const other of others) expect(other.errors[0]).toContain(first?.data.id)
    expect((await team.call('GET', `${JOBS}/${id}`)).meta.appliedBy).toBe(first?.data.id)
    await waitForJob(team, first?.data.id)
    expect((await lead(team, 'A')).data.score).toBe(2)
  })

  it('is refused if the job is no dry run, still runs, was cancelled, or is of another team', async () => {
    const team = await createLeads(['A'])
    const real = await bulk(team, 'PATCH', { processes: [{ lead_id: 'A' }] })
    const other = await newTeam()
    const { id } = await dryRun(team, 'PATCH', { processes: [{ lead_id: 'A' }] })
    expect((await team.call('POST', `${JOBS}/${real.data.id}/apply`)).status).toBe(409)
    expect((await other.call('POST', `${JOBS}/${id}/apply`)).status).toBe(404)
    expect((await team.call('POST', `${JOBS}/nothing/apply`)).status).toBe(404)
    const harness = new Harness(VARS)
    const { body } = await harness.request(team, 'PATCH', `${LEADS}?dryRun=true`, { processes: [{ lead_id: 'A' }] })
    expect((await team.call('POST', `${JOBS}/${body._data.id}/apply`)).status).toBe(409)
    expect((await team.call('POST', `${JOBS}/${body._data.id}/cancel`)).status).toBe(200)
    expect((await team.call('POST', `${JOBS}/${body._data.id}/apply`)).errors[0]).toContain('cancelled')
  })

  it('runs what had failed when it is retried, and still leaves alone what has changed', async () => {
    const team = await createLeads(['A'])
    const { id } = await dryRun(team, 'PATCH', {
      processes: [
        { lead_id: 'A', data: { score: 2 } },
        { lead_id: 'B', data: { score: 2 } },
      ],
    })
    await team.call('PUT', `${LEADS}/lead_id/A`, { data: { score: 5 } })
    await team.call('POST', LEADS, { data: { lead_id: 'B' } })
    const applied = await apply(team, id)
    expect(codes(applied.entries)).toEqual(['changed_since', 'not_found'])
    const retried = await team.call('POST', `${JOBS}/${applied.id}/retry`)
    await waitForJob(team, retried.data.id)
    expect(codes(await listEntries(team, retried.data.id))).toEqual(['changed_since', 'SUCCESS'])
    expect((await lead(team, 'B')).data.score).toBe(2)
  })

  it('goes on where it was cancelled, with what relies on its own changes', async () => {
    const team = await createLeads()
    const { id } = await dryRun(team, 'PATCH', {
      processes: [
        { lead_id: 'A', data: { score: 2 } },
        { lead_id: 'B', isDeleted: true },
        ...['C', 'D', 'C', 'D'].map(lead_id => ({ lead_id, data: { city: 'Goa' } })),
        { lead_id: 'A', data: { score: 3 } },
        { lead_id: 'B', isDeleted: false },
      ],
    })
    const harness = new Harness({ JOB_TUNING: { chunkEntries: 2, sliceChunks: 1, ...rowEntriesBy(8) } })
    const { body } = await harness.request(team, 'POST', `${JOBS}/${id}/apply`)
    await harness.deliver()
    const cancelled = await harness.request(team, 'POST', `${JOBS}/${body._data.id}/cancel`)
    expect(cancelled.body._errors).toEqual([])
    await harness.settle(team)
    const before = await listEntries(team, body._data.id)
    expect([before[0], before[6], before[7]].map(({ completionStatus }) => completionStatus)).toEqual([
      'SUCCESS',
      'CANCELLED',
      'CANCELLED',
    ])
    const rest = await harness.request(team, 'POST', `${JOBS}/${body._data.id}/retry`, { statuses: ['CANCELLED'] })
    expect(rest.body._errors).toEqual([])
    await harness.settle(team)
    expect(new Set(codes(await listEntries(team, rest.body._data.id)))).toEqual(new Set(['SUCCESS']))
    expect((await lead(team, 'A')).data.score).toBe(3)
    expect((await team.call('GET', `${LEADS}/lead_id/B`)).status).toBe(200)
  })
})

// Random jobs of every kind, whose entries name the same few processes again and again, within a step and over several.

const key = fc.constantFrom(...KEYS, 'E')
const data = fc.record(
  {
    score: fc.constantFrom(1, 2, null, 'many'),
    city: fc.constantFrom('Goa', 'Pune', null),
    note: fc.constantFrom([1], 'x'),
  },
  { requiredKeys: [] },
)
const fields = {
  state: fc.constantFrom('NEW', 'IN_PROGRESS', 'WON', 'LOST', 'WONN'),
  status: fc.constantFrom('OPEN', 'CANCELLED'),
}
const address = (lead_id: string) => ({ procedureId: 'lead', primaryKeyShortId: 'lead_id', primaryKeyValue: lead_id })
const entry = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(key, fc.record({ data, ...fields }, { requiredKeys: [] })).map(([name, processUpdate]) => ({
      apiType: 'PROCESS_UPDATE',
      apiData: { ...address(name), processUpdate },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(key, key).map(([name, other]) => ({
      apiType: 'PROCESS_UPDATE',
      apiData: { ...address(name), processUpdate: { data: { lead_id: other } } },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(key, data).map(([lead_id, more]) => ({
      apiType: 'PROCESS_CREATE',
      apiData: { procedureId: 'lead', processCreate: { data: { ...more, lead_id } } },
    })),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(key, data).map(([lead_id, more]) => ({
      apiType: 'PROCESS_UPSERT',
      apiData: { procedureId: 'lead', processUpsert: { data: { ...more, lead_id } } },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(key, fc.constantFrom('PROCESS_DELETE', 'PROCESS_RESTORE')).map(([name, apiType]) => ({
      apiType,
      apiData: address(name),
    })),
  },
)

/** Reads the processes of a team, without members that name times and ids. */
async function loadState(team: Team): Promise<Record<string, Record<string, unknown>>> {
  const { data: found } = await team.call('POST', `${LEADS}/list`, { limit: 100 })
  const shown = (found as Record<string, Record<string, unknown>>[]).map(
    ({ data: all, state, status, nextActionAt, assignedTo }) => [
      (all as unknown as { lead_id: string }).lead_id,
      {
        state,
        status,
        nextActionAt,
        assignedTo,
        ...Object.fromEntries(Object.entries(all ?? {}).map(([name, value]) => [`data.${name}`, value])),
      },
    ],
  )
  return Object.fromEntries(shown.sort(([one], [other]) => String(one).localeCompare(String(other))))
}

/** Follows the changes: the value before each must have been there, and that of the last one must be there after. */
function follow(
  before: Record<string, Record<string, unknown>>,
  entries: Shown[],
): Record<string, Record<string, unknown>> {
  const now = structuredClone(before)
  const trashed: Record<string, Record<string, unknown>> = {}
  for (const { completionStatus, completionResult } of entries) {
    if (completionStatus !== 'SUCCESS') continue
    let name = completionResult.primaryKey ?? ''
    for (const { field, from, to } of completionResult.changes ?? []) {
      if (field === 'isDeleted') {
        const [source, target] = to ? [now, trashed] : [trashed, now]
        target[name] = source[name] ?? {}
        delete source[name]
        continue
      }
      // The result names the process by the key that it would have.
      const found = now[name] ??
        Object.values(now).find(each => field === 'data.lead_id' && from !== null && each[field] === from) ?? {
          nextActionAt: null,
          assignedTo: null,
        }
      expect([name, field, found[field] ?? null]).toEqual([name, field, from])
      if (to === null && field.startsWith('data.')) delete found[field]
      else found[field] = to
      if (field === 'data.lead_id') {
        if (from !== null) delete now[String(from)]
        name = String(to)
      }
      now[name] = found
    }
  }
  return now
}

describe('whatever a job has', () => {
  it('a dry run, the job that applies it, and the job by itself end alike, with the same changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 3, maxLength: 24 }), async entries => {
        const [direct, planned] = await Promise.all([createLeads(), createLeads()])
        const harness = new Harness(VARS)
        const run = async (team: Team, path: string, body?: unknown) => {
          const accepted = await harness.request(team, 'POST', path, body)
          expect([accepted.status, accepted.body._errors]).toEqual([202, []])
          await harness.settle(team)
          const id = accepted.body._data.id as string
          return { id, entries: (await listEntries(team, id)) as Shown[] }
        }
        const before = await loadState(planned)
        const stored = await loadRows(planned)
        const dry = await run(planned, `${JOBS}?dryRun=true`, { entries })
        expect(await loadRows(planned)).toEqual(stored)
        const real = await run(direct, JOBS, { entries })
        expect(outcomes(dry.entries)).toEqual(outcomes(real.entries))
        const applied = await run(planned, `${JOBS}/${dry.id}/apply`)
        expect(outcomes(applied.entries)).toEqual(outcomes(dry.entries))
        expect(await loadState(planned)).toEqual(await loadState(direct))
        expect(follow(before, dry.entries)).toEqual(await loadState(planned))
      }),
      { numRuns: Number(env.RUNS || 12), seed: SEED },
    )
  })
})

describe('a dry run and the job that applies it', () => {
  let team: Team
  let runs = 0
  beforeAll(async () => {
    team = await newTeam()
    await leadProcedure(team)
  })

  async function survives(injection: FaultInjection): Promise<Harness> {
    const run = `${SEED}-${runs++}`
    const keys = ['a', 'b', 'c'].map(name => `${run}-${name}`)
    await bulk(team, 'POST', { processes: keys.map(lead_id => ({ lead_id, data: { score: 0 } })) })
    const [a = '', b = '', c = ''] = keys
    const processes = [a, b, a, c, a, b, `${run}-n`, a, c].map((lead_id, nth) => ({
      lead_id,
      data: { score: nth + 1 },
    }))
    const harness = new Harness({ JOB_TUNING: { ...VARS.JOB_TUNING, sliceChunks: 1, timeLimitMs: 250 } }, injection)
    const accept = async (method: string, path: string, body?: unknown): Promise<string> => {
      for (let attempt = 0; ; attempt++) {
        const reply = await harness.request(team, method, path, body, {
          'idempotency-key': `${run}-${method}-${path.length}`,
        })
        if (reply.status === 202) return reply.body._data.id
        expect(reply.status).toBeGreaterThanOrEqual(500)
        expect(attempt).toBeLessThan(5)
      }
    }
    const id = await accept('PATCH', `${LEADS}?dryRun=true`, { processes })
    await harness.settle(team)
    const entries: Shown[] = await listEntries(team, id)
    expect(entries.map(each => each.completionResult.changes?.[0] ?? each.completionStatus)).toEqual([
      ...[
        [0, 1],
        [0, 2],
        [1, 3],
        [0, 4],
        [3, 5],
        [2, 6],
      ].map(([from, to]) => ({ field: 'data.score', from, to })),
      'ERROR',
      ...[
        [5, 8],
        [4, 9],
      ].map(([from, to]) => ({ field: 'data.score', from, to })),
    ])
    const applied = await accept('POST', `${JOBS}/${id}/apply`)
    await harness.settle(team)
    expect(outcomes(await listEntries(team, applied))).toEqual(outcomes(entries))
    expect((await lead(team, a)).data.score).toBe(8)
    const { data: history } = await team.call('GET', `${LEADS}/lead_id/${a}/history`)
    expect(history).toHaveLength(5)
    return harness
  }

  it('have the same result with each message delivered twice', async () => {
    await survives({ deliver: twice })
  })

  it('have the same result after single faults', async () => {
    const { log } = await survives({})
    await survivesFaults(log, survives)
  })

  it('have the same result after random faults', async () => {
    const random = createRandom(SEED)
    for (let round = 0; round < 4; round++) await survives(randomFaults(random, 0.05))
  })
})
