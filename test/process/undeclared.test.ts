import { describe, expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { JOBS } from '../support/jobs.ts'
import { attribute, definition, newProcedure } from '../support/procedures.ts'
import { connectPlugin } from '../support/provider.ts'

const setUp = async (changes: Record<string, unknown> = {}) => {
  const team = await newTeam()
  const lead = await newProcedure(team, changes)
  return { team, ...lead, list: `${lead.path}/list` }
}

const warning = (name: string, path: string, hint?: string) => ({
  code: 'undeclared_attribute',
  message: `"${name}" is not an attribute of lead`,
  path,
  ...(hint === undefined ? {} : { hint: `did you mean "${hint}"?` }),
})

describe('an undeclared name in a filter', () => {
  it('is warned of with the nearest name, and the list is answered', async () => {
    const { team, list, create } = await setUp()
    await create({ data: { citty: 'Pune' } })
    const reply = await team.call('POST', list, {
      where: { citty: 'Pune', or: [{ zzzzzzzz: null }, { nextActionA: null }] },
    })
    expect([reply.status, reply.data.length]).toEqual([200, 1])
    expect(reply.meta.warnings).toEqual([
      warning('citty', '/body/where/citty', 'city'),
      warning('zzzzzzzz', '/body/where/or/0/zzzzzzzz'),
      warning('nextActionA', '/body/where/or/1/nextActionA', 'nextActionAt'),
    ])
  })

  it('is refused by a strict procedure, in a list and in every bulk request', async () => {
    const { team, list, path, create, fetch } = await setUp({ strict: true })
    const { id } = (await create({ data: { city: 'Goa' } })).data
    const where = { citty: { '!=': 'Pune' } }
    const requests: [string, string, object][] = [
      ['POST', list, { where }],
      ['PATCH', path, { where, update: { data: { city: 'x' } } }],
      ['PATCH', path, { where, update: { isDeleted: true }, allowUndeclared: true }],
    ]
    for (const [method, url, body] of requests) {
      const reply = await team.call(method, url, body)
      const unknown = expect.objectContaining({ path: '/body/where/citty', hint: 'did you mean "city"?' })
      const useless = expect.objectContaining({ path: '/body/allowUndeclared' })
      expect(reply.status).toBe(400)
      expect(reply.meta.errors).toEqual('allowUndeclared' in body ? [unknown, useless] : [unknown])
    }
    expect((await fetch(id)).data.data).toEqual({ city: 'Goa' })
    expect((await team.call('GET', JOBS)).data).toEqual([])
  })

  it('is the only cause of warnings: a response without one has no member for them', async () => {
    const { team, list, create } = await setUp()
    const made = await create({ data: { city: 'Pune' } })
    const found = await team.call('POST', list, { where: { city: 'Pune', lead_id: null, updatedAt: { '>': 0 } } })
    for (const reply of [made, found]) expect(reply.meta).not.toHaveProperty('warnings')
  })
})

describe('an undeclared attribute', () => {
  it('is stored and warned of by create, update and upsert, and again when the request is repeated', async () => {
    const { create, update, upsert } = await setUp()
    const key = { 'idempotency-key': 'once' }
    const expected = [warning('scroe', '/body/data/scroe', 'score')]
    const made = await create({ data: { lead_id: 'L1', scroe: 3 } }, key)
    expect([made.status, made.data.data, made.meta.warnings]).toEqual([201, { lead_id: 'L1', scroe: 3 }, expected])
    const again = await create({ data: { lead_id: 'L1', scroe: 3 } }, key)
    expect([again.headers.get('idempotency-replayed'), again.meta.warnings]).toEqual(['true', expected])
    expect((await update(made.data.id, { data: { scroe: null } })).meta.warnings).toEqual(expected)
    expect((await update('lead_id/L1', { data: { 'a/b': 1 } })).meta.warnings).toEqual([
      warning('a/b', '/body/data/a~1b'),
    ])
    expect((await upsert({ data: { lead_id: 'L1', scroe: 4 } })).meta.warnings).toEqual(expected)
  })

  it('is warned of twenty times at most', async () => {
    const { create } = await setUp()
    const data = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`x${index}`, 1]))
    const { warnings } = (await create({ data })).meta
    expect(warnings).toHaveLength(21)
    expect(warnings[20]).toEqual({ code: 'undeclared_attribute', message: 'and 5 more', path: '/body/data' })
  })

  it('is warned of once by a bulk request, however many items have it', async () => {
    const { team, path } = await setUp()
    const items = [{ data: { city: 'Goa' } }, { data: { citty: 'Goa' } }, { data: { citty: 'Pune' } }]
    const message = '"citty" is not an attribute of lead; the first item with it has the index 1'
    const expected = [{ code: 'undeclared_attribute', message, path: '/body', hint: 'did you mean "city"?' }]
    const key = { 'idempotency-key': 'once' }
    const made = await team.call('POST', `${path}/bulk-create`, items, key)
    expect([made.status, made.meta.warnings]).toEqual([202, expected])
    expect((await team.call('POST', `${path}/bulk-create`, items, key)).meta.warnings).toEqual(expected)
    const processes = items.map((item, index) => ({ id: String(index), update: item }))
    expect((await team.call('PATCH', path, { processes })).meta.warnings).toEqual(expected)
  })
})

describe('a bulk send with a filter or a list', () => {
  it('warns of values that it takes from undeclared attributes, for all messages and for some', async () => {
    const { team, create } = await setUp()
    await create({ data: { lead_id: 'L1' } })
    const whatsapp = await connectPlugin(team)
    const value = (name: string) => ['1', '2'].map(schemaPropertyName => ({ schemaPropertyName, attribute: name }))
    const send = (mapping: object[], processes: object[]) =>
      team.call('POST', `${whatsapp.base}/process/lead/bulk-send-template-message`, {
        whatsappPhoneNumberId: whatsapp.phone.id,
        templateName: 'order_update',
        language: 'en_US',
        mapping,
        processes,
      })
    const shared = await send(value('citty'), [{ lead_id: 'L1' }])
    expect([shared.status, shared.meta.warnings]).toEqual([
      202,
      [0, 1].map(nth => warning('citty', `/body/mapping/${nth}/attribute`, 'city')),
    ])
    const own = await send(value('city'), [{ lead_id: 'L1' }, { lead_id: 'L1', mapping: value('scroe') }])
    const message = '"scroe" is not an attribute of lead; the first item with it has the index 1'
    expect([own.status, own.meta.warnings]).toEqual([202, [{ ...warning('scroe', '/body', 'score'), message }]])
    expect((await send(value('city'), [{ lead_id: 'L1' }])).meta).not.toHaveProperty('warnings')
  })
})

describe('a query that selects what is changed', () => {
  it('is refused for undeclared names, unless they are confirmed', async () => {
    const { team, path, create, fetch } = await setUp()
    const { id } = (await create({ data: { city: 'Goa' } })).data
    const where = { citty: { '!=': 'Pune' } }
    const update = { data: { scroe: 3 } }
    const refused = await team.call('PATCH', path, { where, update })
    expect([refused.status, refused.meta.errors]).toEqual([
      400,
      [
        expect.objectContaining({
          path: '/body/where/citty',
          hint: 'did you mean "city"? if you mean it, send "allowUndeclared": true',
        }),
        expect.objectContaining({ path: '/body/update/data/scroe' }),
      ],
    ])
    const removal = await team.call('PATCH', path, { where, update: { isDeleted: true }, allowUndeclared: false })
    expect(removal.status).toBe(400)
    expect((await fetch(id)).data.data).toEqual({ city: 'Goa' })
    const meant = await team.call('PATCH', path, { where, update, allowUndeclared: true })
    expect([meant.status, meant.data.total]).toEqual([202, 1])
    expect(meant.meta.warnings).toEqual([
      warning('citty', '/body/where/citty', 'city'),
      warning('scroe', '/body/update/data/scroe', 'score'),
    ])
  })

  it('is refused where it matches everything, in whatever form, unless that is confirmed', async () => {
    const { team, path, create } = await setUp()
    await create({ data: { city: 'Goa' } })
    const update = { data: { city: 'x' } }
    const everything: object[] = [
      {},
      { and: [{}] },
      { or: [{ city: 'Goa' }, {}] },
      { or: [{ city: 'Goa' }, { city: { '!=': 'Goa' } }] },
      { city: { '!=': [] } },
      { status: ['OPEN', 'COMPLETED', 'CANCELLED'] },
      { state: ['NEW', 'BUSY', 'WON'], status: { '!=': [] } },
      { createdAt: { '>=': '1970-01-01T00:00:00Z' } },
      { updatedAt: { '<': '2990-01-01T00:00:00Z' } },
      { createdAt: { '<=': { now: 'PT0S' } } },
    ]
    for (const where of everything) {
      const reply = await team.call('PATCH', path, { where, update })
      expect([where, reply.status, reply.meta.errors]).toEqual([
        where,
        400,
        [expect.objectContaining({ path: '/body/where', hint: 'if you mean it, send "all": true' })],
      ])
    }
    const meant = await team.call('PATCH', path, { where: {}, update, all: true })
    expect([meant.status, meant.data.total]).toEqual([202, 1])
    const narrow = await team.call('PATCH', path, { where: { status: ['OPEN', 'COMPLETED'] }, update })
    expect([narrow.status, narrow.data.total]).toEqual([202, 1])
  })

  it('takes true and false only as confirmations, and none beside a list', async () => {
    const { team, path } = await setUp()
    const reply = await team.call('PATCH', path, {
      where: {},
      update: { state: 'BUSY' },
      all: 'yes',
      allowUndeclared: 1,
    })
    expect([reply.status, reply.meta.errors.map((each: { path: string }) => each.path)]).toEqual([
      400,
      ['/body/all', '/body/allowUndeclared', '/body/where'],
    ])
    const beside = await team.call('PATCH', path, { processes: [{ id: 'x', update: {} }], all: true })
    expect(beside.status).toBe(400)
    expect((await team.call('GET', JOBS)).data).toEqual([])
  })

  it('accepts a name that was declared a moment ago', async () => {
    const { team, path, define } = await setUp()
    const where = { town: 'Goa' }
    expect((await team.call('PATCH', path, { where, update: { state: 'BUSY' } })).status).toBe(400)
    const { attributes } = definition() as { attributes: object[] }
    await define({ attributes: [...attributes, attribute('town', 'string')] })
    expect((await team.call('PATCH', path, { where, update: { state: 'BUSY' } })).status).toBe(202)
  })
})
