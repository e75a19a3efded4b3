import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  type Query as AnyQuery,
  type Attributes,
  type BackgroundJobEntry,
  CaseworkerError,
  type EventOf,
  type Job,
  type Page,
  type Process,
  type SortBy,
  type StoredMessage,
  type TaggedProcess,
  type TeamEvent,
  verifyWebhook,
  type WebhookEvent,
  type Where,
} from '../../src/client/client.ts'
import type { QueriedFields, QueriedRecord } from '../../src/client/typed-query.ts'
import type { RECORD_FIELDS } from '../../src/customer-record/query-references.ts'
import type { ROOT_FIELDS } from '../../src/procedure/model.ts'
import { newTeam } from '../support/api.ts'
import { createClient } from '../support/client.ts'
import { newProcedure } from '../support/procedures.ts'

type RootField = (typeof ROOT_FIELDS)[number]

interface Lead {
  lead_id: string
  city?: string
  score?: number
}

async function start(count = 0) {
  const team = await newTeam()
  await newProcedure(team)
  const client = createClient(team)
  const leads = client.processes<Lead>('lead')
  if (count > 0) {
    const items = Array.from({ length: count }, (_, at) => ({ lead_id: `L${at}`, data: { score: at } }))
    await client.jobs.wait((await leads.bulkCreate(items)).id)
  }
  return { client, leads }
}

describe('a list', () => {
  it('goes through all pages, and each process comes once', async () => {
    const { leads } = await start(230)
    const seen: unknown[] = []
    for await (const lead of leads.list({ sort: [{ field: 'score' }] })) seen.push(lead.data.score)
    expect(seen).toEqual(Array.from({ length: 230 }, (_, at) => at))
  })

  it('requests no more pages than are read', async () => {
    const { leads } = await start(130)
    const { items, hasMore } = await leads.list({ pageSize: 7 }).page()
    expect([items.length, hasMore]).toEqual([7, true])
    expect(await leads.list({ limit: 105 }).all()).toHaveLength(105)
    expect(await leads.newest({ limit: 105, skip: 100 }).all()).toHaveLength(30)
    expect(await leads.list({ limit: 0 }).all()).toEqual([])
    const sizes: number[] = []
    for await (const page of leads.list({ where: { score: { '>=': 100 } }, pageSize: 20 }).pages())
      sizes.push(page.items.length)
    expect(sizes).toEqual([20, 10])
    for await (const lead of leads.list({ pageSize: 1 })) {
      expect(lead.data.lead_id).toBeDefined()
      break
    }
  })
})

describe('a process', () => {
  it('has its tag beside the members of the API, not among them', async () => {
    const { leads } = await start()
    const made = await leads.create({ data: { lead_id: 'L1' } })
    expect(made.etag).toMatch(/^"\d+-\d+"$/)
    expect(Object.keys(made)).not.toContain('etag')
    await leads.update(made.id, { data: { score: 1 } })
    const late = leads.update({ lead_id: 'L1' }, { data: { score: 2 } }, { ifMatch: made.etag })
    await expect(late).rejects.toMatchObject({ code: 'precondition_failed', status: 412 })
    await expect(leads.delete(made.id, { ifMatch: made.etag })).rejects.toMatchObject({ status: 412 })
    expect((await leads.get({ lead_id: 'L1' })).data.score).toBe(1)
  })

  it('is named in one way only', async () => {
    const { leads } = await start()
    await expect(leads.get({ lead_id: 2 ** 53 } as object)).rejects.toMatchObject({ code: 'invalid_call' })
    await expect(leads.get({})).rejects.toMatchObject({ code: 'invalid_call' })
    await expect(leads.get({ lead_id: 'L1', city: 'Pune' })).rejects.toMatchObject({ code: 'invalid_call' })
  })
})

describe('an error', () => {
  it('says everything that is wrong, and where', async () => {
    const { leads } = await start()
    const wrong = leads.create({ state: 'BUSSY', nextActionAt: 1795276206, data: { lead_id: 'L1' } })
    const error = await wrong.catch((reason: unknown) => reason)
    if (!(error instanceof CaseworkerError)) throw error
    expect(error).toMatchObject({
      code: 'invalid_request',
      status: 400,
      operation: 'createProcess',
      name: 'CaseworkerError',
    })
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(error.errors.map(({ path, hint }) => [path, hint])).toEqual([
      ['/body/nextActionAt', '1795276206000'],
      ['/body/state', 'did you mean "BUSY"?'],
    ])
    expect(error.message).toContain('/body/state: ')
    expect(error.errors[0]?.docs).toContain('/docs/errors#invalid_request')
  })

  it('is recognised by its code, with the members of that code', async () => {
    const { leads } = await start()
    const { id } = await leads.create({ data: { lead_id: 'L1' } })
    const error = await leads.create({ data: { lead_id: 'L1' } }).catch((reason: unknown) => reason)
    if (!(error instanceof CaseworkerError) || !error.is('duplicate_primary_key')) throw error
    expectTypeOf(error.code).toEqualTypeOf<'duplicate_primary_key'>()
    expect(error.errors[0]?.processId).toBe(id)
    expect(error.is('not_found')).toBe(false)
  })
})

it('the client types the names and values of a query by the declared attributes', () => {
  type Query = Where<Lead & { tags?: ('a' | 'b')[]; free?: unknown }, 'NEW' | 'WON'>
  // A new root field of a process is one of queries, too.
  expectTypeOf<keyof QueriedFields<string>>().toEqualTypeOf<RootField>()
  expectTypeOf<keyof QueriedRecord>().toEqualTypeOf<(typeof RECORD_FIELDS)[number]>()
  expectTypeOf<{ 'record.phone': ['919810000001'] }>().toExtend<Query>()
  expectTypeOf<{
    score: { '>=': 1 }
    tags: 'a'
    state: ['NEW', 'WON']
    createdAt: '2026-12-01T00:00:00Z'
  }>().toExtend<Query>()
  expectTypeOf<{ or: [{ city: 'Pune' }, { and: [{ score: null }] }]; free: 1 }>().toExtend<Query>()
  expectTypeOf<{ city: { startsWith: 'Pu' }; tags: { contains: ['x', 'y'] } }>().toExtend<Query>()
  expectTypeOf<{ score: { contains: '1' } }>().not.toExtend<Query>()
  expectTypeOf<{ city: { contains: 1 } }>().not.toExtend<Query>()
  expectTypeOf<{ score: 'high' }>().not.toExtend<Query>()
  expectTypeOf<{ tags: 'c' }>().not.toExtend<Query>()
  expectTypeOf<{ state: 'NWE' }>().not.toExtend<Query>()
  expectTypeOf<{ or: [{ score: 'high' }] }>().not.toExtend<Query>()
  expectTypeOf<SortBy<Lead>['field']>().toEqualTypeOf<RootField | keyof Lead | 'relevance'>()
  expectTypeOf<Where<Attributes>>().toEqualTypeOf<AnyQuery>()
  expectTypeOf<SortBy<Attributes>['field']>().toEqualTypeOf<string>()
})

it('the client is typed from end to end', () => {
  type Client = ReturnType<typeof createClient>
  type Leads = ReturnType<typeof typed>
  const typed = (client: Client) => client.processes<Lead>('lead')
  expectTypeOf<Awaited<ReturnType<Leads['get']>>>().toEqualTypeOf<TaggedProcess<Lead>>()
  expectTypeOf<TaggedProcess<Lead>['data']>().toEqualTypeOf<Lead>()
  expectTypeOf<TaggedProcess<Lead>['status']>().toEqualTypeOf<'OPEN' | 'COMPLETED' | 'CANCELLED'>()
  expectTypeOf<Process['data']['city']>().toBeUnknown()
  expectTypeOf<Parameters<Leads['update']>[1]['data']>().extract<object>().toHaveProperty('score')
  expectTypeOf<{ score: string }>().not.toExtend<NonNullable<Parameters<Leads['update']>[1]['data']>>()
  expectTypeOf<{ status: 'DONE' }>().not.toExtend<Parameters<Leads['update']>[1]>()
  expectTypeOf<{ where: { score: { '~': 1 } } }>().not.toExtend<NonNullable<Parameters<Leads['list']>[0]>>()
  expectTypeOf<{ where: { score: { '>=': 1 }; or: [{ city: 'Pune' }] } }>().toExtend<
    NonNullable<Parameters<Leads['list']>[0]>
  >()
  expectTypeOf<Awaited<ReturnType<Client['jobs']['wait']>>>().toEqualTypeOf<Job>()
  expectTypeOf<Job['counts']['SUCCESS']>().toEqualTypeOf<number>()
  expectTypeOf<Awaited<ReturnType<ReturnType<Client['jobs']['entries']>['page']>>>().toEqualTypeOf<
    Page<BackgroundJobEntry>
  >()
  expectTypeOf<Parameters<Client['call']>[0]>().extract<'createProces'>().toBeNever()
})

it('the client types the data of an event by its type', () => {
  type Client = ReturnType<typeof createClient>
  type EachOf<Events> = Events extends AsyncIterable<infer Event> ? Event : never
  const ofTypes = (client: Client) => client.events({ types: ['message.received', 'record.erased'] })
  const all = (client: Client) => client.events()
  expectTypeOf<EachOf<ReturnType<typeof all>>>().toEqualTypeOf<TeamEvent>()
  expectTypeOf<EachOf<ReturnType<typeof ofTypes>>>().toEqualTypeOf<EventOf<'message.received' | 'record.erased'>>()
  expectTypeOf<EventOf<'message.received'>['data']['message']>().toEqualTypeOf<StoredMessage | null>()
  expectTypeOf<EventOf<'record.erased'>['data']>().toEqualTypeOf<{ id: string }>()
  expectTypeOf<EventOf<'process.next_action_due'>['data']['nextActionAt']>().toEqualTypeOf<number>()
  expectTypeOf<EventOf<'process.updated'>['data']>().not.toHaveProperty('nextActionAt')
  expectTypeOf<EventOf<TeamEvent['type']>>().toEqualTypeOf<TeamEvent>()
  const verified = (request: Request) => verifyWebhook(request, 'whsec_…')
  expectTypeOf<Awaited<ReturnType<typeof verified>>>().toEqualTypeOf<WebhookEvent>()
  const told = (event: WebhookEvent): string | number | null | undefined => {
    switch (event.type) {
      case 'process.created':
      case 'process.updated':
        return event.data.process?.state
      case 'message.status_changed':
        return event.data.to satisfies StoredMessage['deliveryStatus']
      case 'background_job.completed':
        return event.data.backgroundJob?.total
      case 'webhook.disabled':
        return event.data.webhook?.url
      case 'webhook.test':
        return event.sequence
      default:
        return event.sequence satisfies number
    }
  }
  expectTypeOf(told).returns.toEqualTypeOf<string | number | null | undefined>()
})
