import { describe, expect, it } from 'vitest'
import { newTeam, type Reply, type Team } from '../support/api.ts'
import { attribute, newProcedure, processesAt } from '../support/procedures.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const paths = (reply: Reply): string[] => reply.meta.errors.map((each: { path: string }) => each.path)
const statuses = (replies: Reply[]) => replies.map(({ status }) => status).sort()
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const setUp = async (changes: Record<string, unknown> = {}) => {
  const team = await newTeam()
  return { team, ...(await newProcedure(team, changes)) }
}
const addUser = async (team: Team, username: string) =>
  (await team.call('POST', '/v1/ext/user', { username, role: 'agent', email: `${username}@Example.com` })).data

describe('a new process', () => {
  it('a process that is created without data is OPEN, in the start state, everything else empty', async () => {
    const { team, create, fetch } = await setUp()
    const before = Date.now()
    const made = await create({})
    expect(made.status).toBe(201)
    const procedure = (await team.call('GET', '/v1/ext/procedure/lead')).data
    expect(made.data).toEqual({
      id: expect.stringMatching(UUID),
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      team: team.id,
      procedure: procedure.id,
      procedureShortId: 'lead',
      record: null,
      status: 'OPEN',
      state: 'NEW',
      nextActionAt: null,
      assignedTo: null,
      createdBy: team.admin,
      completedAt: 0,
      data: {},
      isDeleted: false,
    })
    expect(Object.keys(made.data)).toHaveLength(15)
    for (const at of [made.data.createdAt, made.data.updatedAt]) {
      expect(at).toBeGreaterThanOrEqual(before)
      expect(at).toBeLessThanOrEqual(Date.now())
    }
    expect(made.headers.get('location')).toBe(`/v1/ext/procedure/lead/process/${made.data.id}`)
    expect((await fetch(made.data.id)).data).toEqual(made.data)
  })

  it('a process is created with every member at once, and returned with them', async () => {
    const { team, create, fetch } = await setUp()
    const user = await addUser(team, 'meera')
    const nextActionAt = 1_800_000_000_000
    const made = await create({
      data: { lead_id: 'L-1', city: 'Pune', score: 72 },
      record: { data: { phone: '919448300001', email: 'a@b.co' } },
      status: 'CANCELLED',
      state: 'BUSY',
      nextActionAt,
      assignedTo: user.id,
    })
    expect(made.data).toMatchObject({
      data: { lead_id: 'L-1', city: 'Pune', score: 72 },
      record: {
        id: expect.stringMatching(UUID),
        data: { phone: '919448300001', email: 'a@b.co' },
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
      },
      status: 'CANCELLED',
      state: 'BUSY',
      nextActionAt,
      assignedTo: user.id,
      completedAt: 0,
    })
    expect(Object.keys(made.data.record)).toEqual(['id', 'data', 'createdAt', 'updatedAt'])
    for (const at of [made.data.id, made.data.id.toUpperCase(), 'lead_id/L-1'])
      expect((await fetch(at)).data).toEqual(made.data)
  })

  it('a process is addressed by the short id or the id of its procedure', async () => {
    const { team, create } = await setUp()
    const { data } = await create({ data: { lead_id: 'A' } })
    const byId = processesAt(team, data.procedure)
    expect((await byId.fetch(data.id)).data).toEqual(data)
    expect((await byId.fetch('lead_id/A')).data).toEqual(data)
    expect((await byId.create()).headers.get('location')).toMatch(/^\/v1\/ext\/procedure\/lead\/process\//)
  })

  it('a create without required attributes is refused, and all missing ones are named', async () => {
    const attributes = [
      attribute('lead_id', 'string', { required: true }),
      attribute('a/b', 'integer', { required: true }),
      attribute('toString', 'integer', { required: true }),
    ]
    const { create, update } = await setUp({ attributes })
    const refused = await create({ data: { lead_id: null } })
    expect(refused.status).toBe(400)
    expect(paths(refused).sort()).toEqual(['/body/data/a~1b', '/body/data/lead_id', '/body/data/toString'])
    // What was refused is not missing besides.
    expect(paths(await create({ data: { lead_id: 5, 'a/b': 'many', toString: '\0' } }))).toHaveLength(3)
    expect(paths(await create({}))).toHaveLength(3)
    const made = await create({ data: { lead_id: '1', 'a/b': 0, toString: 0 } })
    expect(made.status).toBe(201)
    const removal = await update(made.data.id, { data: { 'a/b': null } })
    expect(paths(removal)).toEqual(['/body/data/a~1b'])
    expect((await update(made.data.id, { status: 'OPEN' })).status).toBe(200)
  })

  it.each<[string, unknown, string]>([
    ['an unknown status', { status: 'open' }, '/body/status'],
    ['an unknown state', { state: 'new' }, '/body/state'],
    ['a null state', { state: null }, '/body/state'],
    ['epoch seconds', { nextActionAt: 1_700_000_000 }, '/body/nextActionAt'],
    ['a time with a fraction', { nextActionAt: 1_700_000_000_000.5 }, '/body/nextActionAt'],
    ['a date without a time', { nextActionAt: '2026-03-31' }, '/body/nextActionAt'],
    ['a time beyond all calendars', { nextActionAt: 8_640_000_000_000_001 }, '/body/nextActionAt'],
    ['an unknown user', { assignedTo: 'nobody' }, '/body/assignedTo'],
    ['an empty user', { assignedTo: '' }, '/body/assignedTo'],
    ['a user object', { assignedTo: { id: 1 } }, '/body/assignedTo'],
    ['a record without an id or data', { record: {} }, '/body/record'],
    ['a record that is a list', { record: [] }, '/body/record'],
    ['an unknown field of the record', { record: { data: {}, version: 1 } }, '/body/record/version'],
    ['an unknown record', { record: { data: {}, id: 'x' } }, '/body/record/id'],
    ['a bad value in the record', { record: { data: { 'a/b': '\ud800' } } }, '/body/record/data/a~1b'],
    [
      'too many attributes in the record',
      { record: { data: Object.fromEntries(times(501, n => [`n${n}`, n])) } },
      '/body/record/data',
    ],
    ['an id of its own', { id: crypto.randomUUID() }, '/body/id'],
    ['isDeleted', { isDeleted: true }, '/body/isDeleted'],
  ])('is refused with %s', async (_, body, path) => {
    const { create } = await setUp()
    const refused = await create(body)
    expect(refused.status).toBe(400)
    expect(paths(refused)).toEqual([path])
  })

  it('accepts a time as its digits, as bulk clients send it', async () => {
    const { create } = await setUp()
    expect((await create({ nextActionAt: '1800000000000' })).data.nextActionAt).toBe(1_800_000_000_000)
  })
})

describe('an assignee', () => {
  it('may be named by id, username or e-mail address everywhere, and comes back as the id', async () => {
    const { team, create, update, upsert } = await setUp()
    const user = await addUser(team, 'meera')
    for (const name of [user.id, user.id.toUpperCase(), 'meera', 'meera@example.com', 'MEERA@EXAMPLE.COM']) {
      const made = await create({ assignedTo: name })
      expect(made.data.assignedTo, name).toBe(user.id)
      expect((await update(made.data.id, { assignedTo: null })).data.assignedTo).toBeNull()
      expect((await update(made.data.id, { assignedTo: name })).data.assignedTo, name).toBe(user.id)
      expect((await upsert({ data: { lead_id: name }, assignedTo: name })).data.assignedTo, name).toBe(user.id)
    }
  })

  it('a user of another team cannot be assigned', async () => {
    const { create } = await setUp()
    const stranger = await addUser(await newTeam(), 'zoe')
    for (const name of [stranger.id, 'zoe', 'zoe@example.com']) {
      const refused = await create({ assignedTo: name })
      expect(refused.status, name).toBe(400)
      expect(paths(refused)).toEqual(['/body/assignedTo'])
    }
  })
})

describe('status and state', () => {
  it('COMPLETED without a state moves to the completed state and stores the time; another status removes it', async () => {
    const { create, update } = await setUp()
    const made = await create({ status: 'COMPLETED' })
    expect(made.data).toMatchObject({ state: 'WON', status: 'COMPLETED' })
    expect(made.data.completedAt).toBe(made.data.updatedAt)
    const again = await update(made.data.id, { status: 'COMPLETED' })
    expect(again.data.completedAt).toBe(made.data.completedAt)
    const reopened = await update(made.data.id, { status: 'OPEN' })
    expect(reopened.data).toMatchObject({ status: 'OPEN', state: 'WON', completedAt: 0 })
    const elsewhere = await update(made.data.id, { status: 'COMPLETED', state: 'BUSY' })
    expect(elsewhere.data).toMatchObject({ status: 'COMPLETED', state: 'BUSY' })
    expect(elsewhere.data.completedAt).toBeGreaterThan(0)
    expect((await update(made.data.id, { state: 'NEW' })).data).toMatchObject({ state: 'NEW', status: 'COMPLETED' })
  })

  const chain = {
    states: [
      { shortId: 'NEW', next: ['BUSY'] },
      { shortId: 'BUSY', next: ['NEW', 'WON'] },
      { shortId: 'WON', next: [] },
      { shortId: 'FREE' },
    ],
  }

  it('a transition that the definition forbids is a 409 that names the allowed ones', async () => {
    const { create, update, fetch, upsert } = await setUp(chain)
    const made = await create({ data: { lead_id: 'A' } })
    const refused = await update(made.data.id, { state: 'WON', data: { city: 'Pune' } })
    expect(refused.status).toBe(409)
    expect(refused.meta.errors).toMatchObject([
      { code: 'transition_not_allowed', path: '/body/state', allowed: ['BUSY'] },
    ])
    expect(refused.errors[0]).toContain('BUSY')
    expect((await fetch(made.data.id)).data).toEqual(made.data)
    expect((await update('lead_id/A', { status: 'COMPLETED' })).status).toBe(409)
    expect((await upsert({ data: { lead_id: 'A' }, state: 'WON' })).status).toBe(409)
    expect((await update(made.data.id, { state: 'NEW' })).status).toBe(200)
    expect((await update(made.data.id, { state: 'BUSY' })).status).toBe(200)
    expect((await update(made.data.id, { status: 'COMPLETED' })).data.state).toBe('WON')
    const last = await update(made.data.id, { state: 'NEW' })
    expect(last.meta.errors[0].allowed).toEqual([])
    expect(last.errors[0]).toContain('no other state')
  })

  it('a process may start in any state, and go anywhere from a state without declared next ones', async () => {
    const { create, update } = await setUp(chain)
    const made = await create({ state: 'FREE' })
    expect(made.status).toBe(201)
    expect((await update(made.data.id, { state: 'WON' })).status).toBe(200)
  })

  it('of two concurrent transitions that exclude each other, one succeeds', async () => {
    const { create, update } = await setUp({
      states: [
        { shortId: 'NEW', next: ['WON', 'LOST'] },
        { shortId: 'WON', next: [] },
        { shortId: 'LOST', next: [] },
      ],
    })
    const { data } = await create()
    const moves = await Promise.all(times(8, index => update(data.id, { state: index % 2 ? 'WON' : 'LOST' })))
    const won = moves.filter(({ status }) => status === 200).map(reply => reply.data.state)
    expect(new Set(won).size).toBe(1)
    for (const refused of moves.filter(({ status }) => status !== 200)) expect(refused.status).toBe(409)
  })
})

describe('an update', () => {
  it('changes the members that are sent and nothing else, by id and by key', async () => {
    const { create, update } = await setUp()
    const made = await create({
      data: { lead_id: 'A', city: 'Pune' },
      nextActionAt: 1_800_000_000_000,
      record: { data: { phone: '1' } },
    })
    const updated = await update('lead_id/A', { nextActionAt: null })
    expect(updated.status).toBe(200)
    expect(updated.data).toEqual({ ...made.data, nextActionAt: null, updatedAt: updated.data.updatedAt })
    expect(updated.data.updatedAt).toBeGreaterThanOrEqual(made.data.updatedAt)
    const more = await update(made.data.id, { data: { score: 5, city: null } })
    expect(more.data.data).toEqual({ lead_id: 'A', score: 5 })
  })

  it('concurrent updates of different attributes all survive', async () => {
    const { create, update, fetch } = await setUp()
    const { data } = await create({ data: { lead_id: 'A' } })
    const replies = await Promise.all(
      times(30, index => update(index % 2 ? data.id : 'lead_id/A', { data: { [`n${index}`]: index } })),
    )
    expect(statuses(replies)).toEqual(times(30, () => 200))
    const now = (await fetch(data.id)).data
    expect(now.data).toEqual({ lead_id: 'A', ...Object.fromEntries(times(30, index => [`n${index}`, index])) })
    const tags = replies.map(reply => reply.headers.get('etag'))
    expect(new Set(tags).size).toBe(30)
  })

  it('of many concurrent updates with one If-Match, one succeeds', async () => {
    const { create, update, fetch } = await setUp()
    const made = await create({ data: { lead_id: 'A' } })
    const headers = { 'if-match': made.headers.get('etag') ?? '' }
    const replies = await Promise.all(times(10, index => update(made.data.id, { data: { winner: index } }, headers)))
    expect(statuses(replies)).toEqual([200, ...times(9, () => 412)])
    const winner = replies.find(({ status }) => status === 200)
    expect((await fetch(made.data.id)).data).toEqual(winner?.data)
  })
})

describe('a primary key', () => {
  it('is unique among live processes: a second create is a 409 with the id of the first', async () => {
    const { create, update } = await setUp()
    const first = await create({ data: { lead_id: 'A' } })
    const second = await create({ data: { lead_id: 'A' } })
    expect(second.status).toBe(409)
    expect(second.meta.errors[0]).toMatchObject({
      code: 'duplicate_primary_key',
      path: '/body/data/lead_id',
      processId: first.data.id,
    })
    const other = await create({ data: { lead_id: 'B' } })
    const moved = await update(other.data.id, { data: { lead_id: 'A' } })
    expect(moved.status).toBe(409)
    expect(moved.meta.errors[0].processId).toBe(first.data.id)
  })

  it('of concurrent creates with one primary key, one is a 201 and the rest are 409 with its id', async () => {
    const { create } = await setUp()
    const replies = await Promise.all(times(12, index => create({ data: { lead_id: 'A', index } })))
    expect(statuses(replies)).toEqual([201, ...times(11, () => 409)])
    const winner = replies.find(({ status }) => status === 201)
    for (const reply of replies.filter(({ status }) => status === 409))
      expect(reply.meta.errors[0].processId).toBe(winner?.data.id)
  })

  it('may be a number, and is compared as text', async () => {
    const { create, fetch, upsert } = await setUp({ attributes: [attribute('lead_id', 'float')] })
    const made = await create({ data: { lead_id: 105 } })
    expect(made.data.data.lead_id).toBe(105)
    expect((await fetch('lead_id/105')).data.id).toBe(made.data.id)
    expect((await fetch('lead_id/105.0')).status).toBe(404)
    expect((await create({ data: { lead_id: '105' } })).status).toBe(409)
    const half = await create({ data: { lead_id: 0.5 } })
    expect((await fetch('lead_id/0.5')).data.id).toBe(half.data.id)
    expect((await upsert({ data: { lead_id: 1e-7 } })).status).toBe(201)
    expect((await fetch('lead_id/1e-7')).status).toBe(200)
  })

  it('a primary key may be changed and removed, and the address follows', async () => {
    const { create, update, fetch } = await setUp()
    const made = await create({ data: { lead_id: 'A' } })
    const renamed = await update('lead_id/A', { data: { lead_id: 'B' } })
    expect(renamed.status).toBe(200)
    expect(renamed.data.data.lead_id).toBe('B')
    expect((await fetch('lead_id/A')).status).toBe(404)
    expect((await fetch('lead_id/B')).data.id).toBe(made.data.id)
    expect((await create({ data: { lead_id: 'A' } })).status).toBe(201)
    expect((await update('lead_id/B', { data: { lead_id: null } })).status).toBe(200)
    expect((await fetch('lead_id/B')).status).toBe(404)
    expect((await fetch(made.data.id)).data.data).toEqual({})
  })

  it('changes nothing where it is moved to a taken one, and leaves the other process alone', async () => {
    const { create, update, upsert, fetch } = await setUp()
    const [a, b] = [await create({ data: { lead_id: 'A' } }), await create({ data: { lead_id: 'B' } })]
    const refused = await update('lead_id/A', { data: { lead_id: 'B', city: 'Pune' } })
    expect(refused.status).toBe(409)
    expect(refused.meta.errors[0].processId).toBe(b.data.id)
    expect((await fetch(a.data.id)).data).toEqual(a.data)
    expect((await fetch(b.data.id)).data).toEqual(b.data)
    expect((await upsert({ data: { lead_id: 'B' } })).data.id).toBe(b.data.id)
  })

  it('any number of processes may have no primary key', async () => {
    const { create } = await setUp()
    expect(statuses([await create(), await create(), await create({ data: { lead_id: null } })])).toEqual([
      201, 201, 201,
    ])
  })

  it.each([
    'a/b',
    'a b',
    '50%',
    '%2F',
    'ü',
    '😀',
    "'",
    '"',
    'a?b#c',
    '+1',
    'null',
    'a\\b',
    ' a ',
    'list',
    'restore',
    'A',
    'x'.repeat(1000),
  ])('finds its process: %j', async key => {
    const { create, fetch, update, remove } = await setUp()
    const made = await create({ data: { lead_id: key } })
    expect(made.status).toBe(201)
    const at = `lead_id/${encodeURIComponent(key)}`
    expect((await fetch(at)).data.id).toBe(made.data.id)
    expect((await update(at, { data: { n: 1 } })).status).toBe(200)
    expect((await fetch(`lead_id/${encodeURIComponent(`${key}!`)}`)).status).toBe(404)
    expect((await remove(at)).data.id).toBe(made.data.id)
    expect((await fetch(at)).status).toBe(404)
  })

  it('primary keys differ by case, accents and spaces', async () => {
    const { create } = await setUp()
    for (const key of ['a', 'A', 'ä', 'a ', ' a', 'a\u0308'])
      expect((await create({ data: { lead_id: key } })).status, key).toBe(201)
  })

  it.each([
    ['empty', ''],
    ['longer than 1,000 characters', 'x'.repeat(1001)],
    ['with a NUL in it', 'a\u0000b'],
  ])('is refused if it is %s', async (_, key) => {
    const { create } = await setUp()
    const refused = await create({ data: { lead_id: key } })
    expect(refused.status).toBe(400)
    expect(paths(refused)).toEqual(['/body/data/lead_id'])
  })

  it('does not match the part before a NUL in an address', async () => {
    const { create, fetch, update, remove, team, path } = await setUp()
    await create({ data: { lead_id: 'A', city: 'Pune', plain: 'x' } })
    const at = 'lead_id/A%00zzz'
    for (const reply of [await fetch(at), await update(at, { data: { n: 1 } }), await remove(at)])
      expect(reply.status).toBe(404)
    for (const where of [{ city: 'Pune\u0000zzz' }, { plain: 'x\u0000y' }, { lead_id: 'A\u0000' }]) {
      const found = await team.call('POST', `${path}/list`, { where })
      expect(found.status === 400 || found.data.length === 0, JSON.stringify(where)).toBe(true)
    }
  })

  it('is no address if it is of another attribute: 404 with the right one as a hint', async () => {
    const { create, fetch, update, remove } = await setUp()
    await create({ data: { lead_id: 'A', city: 'Pune' } })
    for (const reply of [await fetch('city/Pune'), await update('city/Pune', {}), await remove('city/Pune')]) {
      expect(reply.status).toBe(404)
      expect(reply.meta.errors[0].hint).toContain('lead_id')
    }
  })

  it('the attribute of a primary key may be called like a member of every object, such as constructor', async () => {
    const { create, fetch, remove, restore } = await setUp({
      primaryKey: 'constructor',
      attributes: [attribute('constructor', 'string')],
    })
    const without = await create()
    await remove(without.data.id)
    expect((await restore(without.data.id)).status).toBe(200)
    const made = await create({ data: { constructor: 'A' } })
    expect((await fetch('constructor/A')).data.id).toBe(made.data.id)
  })
})

describe('create or update by primary key', () => {
  it('creates with 201, then updates with 200, and is idempotent', async () => {
    const { upsert, fetch } = await setUp()
    const first = await upsert({ data: { lead_id: 'A', city: 'Pune' }, state: 'BUSY' })
    expect(first.status).toBe(201)
    expect(first.headers.get('location')).toContain(first.data.id)
    const second = await upsert({ data: { lead_id: 'A', score: 1 }, record: { data: { phone: '1' } } })
    expect(second.status).toBe(200)
    expect(second.data).toMatchObject({
      id: first.data.id,
      state: 'BUSY',
      data: { lead_id: 'A', city: 'Pune', score: 1 },
      record: { data: { phone: '1' } },
    })
    const third = await upsert({ data: { lead_id: 'A', score: 1 }, record: { data: { phone: '1' } } })
    expect({ ...third.data, updatedAt: 0, record: { ...third.data.record, updatedAt: 0 } }).toEqual({
      ...second.data,
      updatedAt: 0,
      record: { ...second.data.record, updatedAt: 0 },
    })
    expect((await fetch('lead_id/A')).data).toEqual(third.data)
  })

  it('creates once and loses nothing in concurrent requests', async () => {
    const { upsert, fetch, team, path } = await setUp()
    const replies = await Promise.all(times(10, index => upsert({ data: { lead_id: 'A', [`n${index}`]: index } })))
    expect(statuses(replies)).toEqual([...times(9, () => 200), 201])
    const now = (await fetch('lead_id/A')).data
    expect(now.data).toEqual({ lead_id: 'A', ...Object.fromEntries(times(10, index => [`n${index}`, index])) })
    expect((await team.call('GET', path)).data).toHaveLength(1)
  })

  it('makes one process and one record in concurrent requests with the same new customer', async () => {
    const { upsert } = await setUp()
    const replies = await Promise.all(
      times(8, index => upsert({ data: { lead_id: 'A' }, record: { data: { phone: '7', [`n${index}`]: 1 } } })),
    )
    expect(statuses(replies)).toEqual([...times(7, () => 200), 201])
    expect(new Set(replies.map(({ data }) => data.record.id)).size).toBe(1)
  })

  it.each<[string, unknown]>([
    ['without data', {}],
    ['without the key', { data: { city: 'Pune' } }],
    ['with a null key', { data: { lead_id: null } }],
  ])('is refused: %s', async (_, body) => {
    const { upsert } = await setUp()
    const refused = await upsert(body)
    expect(refused.status).toBe(400)
    expect(paths(refused)).toEqual(['/body/data/lead_id'])
  })

  it('is refused where the procedure has no primary key', async () => {
    const { upsert } = await setUp({ primaryKey: null })
    expect((await upsert({ data: { lead_id: 'A' } })).status).toBe(400)
  })

  it('requires the required attributes to create, and not to update', async () => {
    const attributes = [attribute('lead_id', 'string'), attribute('city', 'string', { required: true })]
    const { upsert } = await setUp({ attributes })
    expect(paths(await upsert({ data: { lead_id: 'A' } }))).toEqual(['/body/data/city'])
    expect((await upsert({ data: { lead_id: 'A', city: 'Pune' } })).status).toBe(201)
    expect((await upsert({ data: { lead_id: 'A', n: 1 } })).status).toBe(200)
  })

  it('gives a key that a deletion freed to a new process', async () => {
    const { upsert, remove } = await setUp()
    const first = await upsert({ data: { lead_id: 'A', city: 'Pune' } })
    await remove(first.data.id)
    const second = await upsert({ data: { lead_id: 'A' } })
    expect(second.status).toBe(201)
    expect(second.data.id).not.toBe(first.data.id)
    expect(second.data.data).toEqual({ lead_id: 'A' })
  })
})

describe('a deleted process', () => {
  it('is returned once more with isDeleted, then is a 404 everywhere and in no list', async () => {
    const { team, path, create, remove, fetch, update } = await setUp()
    const made = await create({ data: { lead_id: 'A', city: 'Pune' }, record: { data: { phone: '1' } } })
    const removed = await remove(made.data.id)
    expect(removed.status).toBe(200)
    expect(removed.data).toEqual({ ...made.data, isDeleted: true })
    for (const at of [made.data.id, 'lead_id/A'])
      for (const reply of [await fetch(at), await update(at, { data: {} }), await remove(at)]) {
        expect(reply.status).toBe(404)
        expect(reply.meta.errors[0].code).toBe('not_found')
      }
    expect((await team.call('GET', path)).data).toEqual([])
    expect((await team.call('POST', `${path}/list`, { where: { city: 'Pune' } })).data).toEqual([])
  })

  it('is restored as it was, found by key, attribute and list', async () => {
    const { team, path, create, remove, restore, fetch } = await setUp()
    const odd = JSON.parse(
      '{"lead_id": "A", "city": "Pune", "score": 5, "a.\\"b": {"c": null}, "__proto__": 1, "": 2, "~": "~0022"}',
    )
    const user = await addUser(team, 'meera')
    const made = await create({
      data: odd,
      record: { data: { phone: '1' } },
      status: 'COMPLETED',
      state: 'BUSY',
      nextActionAt: 1_800_000_000_000,
      assignedTo: user.id,
    })
    await remove('lead_id/A')
    const restored = await restore(made.data.id.toUpperCase())
    expect(restored.status, restored.errors[0]).toBe(200)
    expect(JSON.stringify({ ...restored.data, updatedAt: 0 })).toBe(JSON.stringify({ ...made.data, updatedAt: 0 }))
    expect((await fetch('lead_id/A')).data).toEqual(restored.data)
    expect((await team.call('POST', `${path}/list`, { where: { city: 'Pune', score: { '>': 4 } } })).data).toEqual([
      restored.data,
    ])
    expect((await restore(made.data.id)).status).toBe(404)
  })

  it('frees its key; restoring it is a 409 while another has it', async () => {
    const { create, remove, restore } = await setUp()
    const first = await create({ data: { lead_id: 'A' } })
    await remove(first.data.id)
    const second = await create({ data: { lead_id: 'A' } })
    expect(second.status).toBe(201)
    const refused = await restore(first.data.id)
    expect(refused.status).toBe(409)
    expect(refused.meta.errors[0]).toMatchObject({ code: 'duplicate_primary_key', processId: second.data.id })
    await remove(second.data.id)
    expect((await restore(first.data.id)).status).toBe(200)
    expect((await restore(second.data.id)).status).toBe(409)
  })

  it('of concurrent restores of a process, one restores it', async () => {
    const { create, remove, restore, team, path } = await setUp()
    const { data } = await create({ data: { lead_id: 'A' } })
    await remove(data.id)
    expect(statuses(await Promise.all(times(6, () => restore(data.id))))).toEqual([200, ...times(5, () => 404)])
    expect((await team.call('GET', path)).data).toHaveLength(1)
  })

  it('is deleted once by concurrent requests, and an update beside it is before or after', async () => {
    const { create, remove, update } = await setUp()
    const { data } = await create()
    const [updated, ...removed] = await Promise.all([
      update(data.id, { data: { n: 1 } }),
      ...times(6, () => remove(data.id)),
    ])
    expect(statuses(removed)).toEqual([200, ...times(5, () => 404)])
    const winner = removed.find(({ status }) => status === 200)
    expect(winner?.data.data).toEqual(updated?.status === 200 ? { n: 1 } : {})
  })

  it('shows the record as it is when it comes back, not as it was', async () => {
    const { create, remove, restore } = await setUp()
    const made = await create({ record: { data: { phone: '1' } } })
    await remove(made.data.id)
    await create({ record: { data: { phone: '1', name: 'Later' } } })
    expect((await restore(made.data.id)).data.record.data).toEqual({ phone: '1', name: 'Later' })
  })

  it('stays deleted where the procedure has no state for it any more, and says why', async () => {
    const { create, remove, restore, define } = await setUp()
    const lost = await create({ state: 'BUSY' })
    const unfit = await create({ data: { plain: 'text' } })
    await remove(lost.data.id)
    await remove(unfit.data.id)
    await define({
      states: [{ shortId: 'NEW' }, { shortId: 'WON' }],
      attributes: [attribute('lead_id', 'string'), attribute('plain', 'integer', { indexed: true })],
    })
    const refused = await restore(lost.data.id)
    expect(refused.status).toBe(409)
    expect(refused.errors[0]).toContain('BUSY')
    const other = await restore(unfit.data.id)
    expect(other.status).toBe(409)
    expect(other.errors[0]).toContain('plain')
  })

  it('is restored into indexes that were made after it was deleted', async () => {
    const { team, path, create, remove, restore, define } = await setUp({
      attributes: [attribute('lead_id', 'string')],
    })
    const made = await create({ data: { lead_id: 'A', city: 'Pune' } })
    await remove(made.data.id)
    await define({})
    const restored = await restore(made.data.id)
    expect((await team.call('POST', `${path}/list`, { where: { city: 'Pune' } })).data).toEqual([restored.data])
  })
})

describe('a record', () => {
  it('is found again by phone number, in any form, and gets the new data merged in', async () => {
    const { create, fetch } = await setUp()
    const first = await create({ record: { data: { phone: '+91 94483-00001', name: 'Asha', city: 'Pune' } } })
    for (const phone of ['919448300001', '0091 94483 00001', '+919448300001', '(91) 9448300001', 919448300001]) {
      const again = await create({ record: { data: { phone, name: 'Asha Rao', city: null } } })
      expect(again.data.record.id, String(phone)).toBe(first.data.record.id)
      expect(again.data.record.data).toEqual({ phone, name: 'Asha Rao' })
    }
    const now = (await fetch(first.data.id)).data.record
    expect(now.data).toEqual({ phone: 919448300001, name: 'Asha Rao' })
    expect(now.updatedAt).toBeGreaterThanOrEqual(first.data.record.updatedAt)
    expect(now.createdAt).toBe(first.data.record.createdAt)
  })

  it("is not found by a number that a spreadsheet has shortened: the remaining digits may be another person's", async () => {
    const { team, create, define } = await setUp()
    const other = await create({ record: { data: { phone: '91944811' } } })
    const made = await create({ record: { data: { phone: '9.19448E+11' } } })
    expect(made.data.record.id).not.toBe(other.data.record.id)
    expect((await team.call('GET', '/v1/ext/record?phone=9.19448E%2B11')).status).toBe(400)
    await define({ attributes: [attribute('lead_id', 'string'), attribute('mobile', 'phone')] })
    const loadMessage = async (mobile: string) => (await create({ data: { lead_id: mobile, mobile } })).meta.errors[0]
    for (const mobile of ['9.19448E+11', '9,19448e+11', '9E11']) {
      const fault = await loadMessage(mobile)
      expect(fault.message).toContain('looks shortened by a spreadsheet')
      expect(fault).not.toHaveProperty('hint')
    }
    expect(await loadMessage('9194483 ext 12')).not.toHaveProperty('hint')
    expect((await loadMessage('+91:9448300001')).hint).toBe('did you mean "919448300001"?')
    const listed = await team.call('GET', '/v1/ext/message?phoneNumber=9.19448E%2B11')
    expect([listed.status, listed.meta.errors[0].hint]).toEqual([400, undefined])
    expect(listed.errors[0]).toContain('looks shortened by a spreadsheet')
  })

  it.each(['phone', 'phone_number', 'phoneNumber', 'mobile'])('is found by an attribute called %s', async name => {
    const { create } = await setUp()
    const first = await create({ record: { data: { [name]: '123456' } } })
    expect((await create({ record: { data: { phone: '123456' } } })).data.record.id).toBe(first.data.record.id)
  })

  it('is found again by e-mail address in any case, where the phone number finds none', async () => {
    const { create } = await setUp()
    const first = await create({ record: { data: { email: 'Asha@Example.com' } } })
    const same = await create({ record: { data: { email: ' asha@example.COM ' } } })
    expect(same.data.record.id).toBe(first.data.record.id)
    const withPhone = await create({ record: { data: { email: 'asha@example.com', phone: '42' } } })
    expect(withPhone.data.record.id).toBe(first.data.record.id)
    expect((await create({ record: { data: { phone: '42' } } })).data.record.id).toBe(first.data.record.id)
  })

  it('is that of the phone number where phone number and e-mail address disagree', async () => {
    const { create } = await setUp()
    const byPhone = await create({ record: { data: { phone: '1' } } })
    await create({ record: { data: { email: 'b@c.co' } } })
    const both = await create({ record: { data: { email: 'b@c.co', phone: '1' } } })
    expect(both.data.record.id).toBe(byPhone.data.record.id)
  })

  it('a record is new where no number or address identifies a customer', async () => {
    const { create } = await setUp()
    const ids = [
      await create({ record: { data: { name: 'A' } } }),
      await create({ record: { data: { name: 'A' } } }),
      await create({ record: { data: {} } }),
      await create({ record: { data: { phone: 'unknown', email: 'none' } } }),
      await create({ record: { data: { phone: 'unknown', email: 'none' } } }),
    ].map(({ data }) => data.record.id)
    expect(new Set(ids).size).toBe(5)
  })

  it("is never another team's, whatever the number", async () => {
    const [ours, theirs] = [await setUp(), await setUp()]
    const a = await ours.create({ record: { data: { phone: '1', secret: 'ours' } } })
    const b = await theirs.create({ record: { data: { phone: '1' } } })
    expect(b.data.record.id).not.toBe(a.data.record.id)
    expect(b.data.record.data).toEqual({ phone: '1' })
  })

  it('is shared by the procedures of a team', async () => {
    const { team, create } = await setUp()
    const ticket = await newProcedure(team, {}, 'ticket')
    const first = await create({ record: { data: { phone: '1' } } })
    expect((await ticket.create({ record: { data: { phone: '1' } } })).data.record.id).toBe(first.data.record.id)
  })

  it('is made once by concurrent requests for an unknown customer', async () => {
    const { create, fetch } = await setUp()
    const replies = await Promise.all(
      times(12, index => create({ record: { data: { phone: '7', [`n${index}`]: index } } })),
    )
    expect(statuses(replies)).toEqual(times(12, () => 201))
    expect(new Set(replies.map(({ data }) => data.record.id)).size).toBe(1)
    const now = (await fetch(replies[0]?.data.id)).data.record.data
    expect(now).toEqual({ phone: '7', ...Object.fromEntries(times(12, index => [`n${index}`, index])) })
  })

  it('loses neither number nor address when they are added at once', async () => {
    for (let round = 0; round < 3; round++) {
      const { create } = await setUp()
      const first = await create({ record: { data: { phone: '1' } } })
      await Promise.all([
        ...times(3, () => create({ record: { data: { phone: '1', seen: true } } })),
        create({ record: { data: { phone: '1', email: 'a@b.co' } } }),
        ...times(3, () => create({ record: { data: { phone: '1', seen: true } } })),
      ])
      const byEmail = await create({ record: { data: { email: 'a@b.co' } } })
      expect(byEmail.data.record.id).toBe(first.data.record.id)
    }
  })

  it('keeps any names and values, of which 500 at once are merged in', async () => {
    const { create } = await setUp()
    const odd = JSON.parse(
      '{"phone": "1", "a.b": 1, "a\\"b": 2, "__proto__": 3, "": 4, "नाम": [null], "~": {"x": null}}',
    )
    await create({ record: { data: { phone: '1' } } })
    const merged = await create({ record: { data: odd } })
    expect(JSON.stringify(merged.data.record.data)).toBe(JSON.stringify(odd))
    const many = Object.fromEntries(times(499, index => [`attribute number ${index}`, 'v'.repeat(50)]))
    const more = await create({ record: { data: { ...many, phone: '1' } } })
    expect(more.status, more.errors[0]).toBe(201)
    expect(Object.keys(more.data.record.data)).toHaveLength(499 + 7)
  })

  it('a record may have fields that are null or missing', async () => {
    const { create } = await setUp()
    expect((await create({ record: null })).data.record).toBeNull()
  })
})

describe('an unknown id or key', () => {
  it.each([
    'nothing',
    '0198a000-0000-7000-8000-000000000009',
    '00000000-0000-4000-8000-000000000000',
    'ffffffff-ffff-8fff-bfff-ffffffffffff',
    '%00',
    "'--",
    'a.b',
    '🙂',
  ])('is a 404 at %s, for every verb', async id => {
    const { fetch, update, remove, restore } = await setUp()
    const at = encodeURIComponent(decodeURIComponent(id))
    for (const reply of [await fetch(at), await update(at, { data: {} }), await remove(at), await restore(at)])
      expect(reply.status, reply.errors[0]).toBe(404)
  })

  it('is a 404 for an unknown procedure, and for a process of another procedure of the team', async () => {
    const { team, create } = await setUp()
    const ticket = await newProcedure(team, {}, 'ticket')
    const { data } = await create({ data: { lead_id: 'A' } })
    for (const at of [data.id, 'lead_id/A']) {
      expect((await ticket.fetch(at)).status).toBe(404)
      expect((await ticket.update(at, {})).status).toBe(404)
      expect((await ticket.remove(at)).status).toBe(404)
    }
    const unknown = processesAt(team, 'unknown')
    for (const reply of [await unknown.create(), await unknown.upsert({ data: {} }), await unknown.fetch(data.id)]) {
      expect(reply.status).toBe(404)
      expect(reply.errors[0]).toContain('procedure unknown')
    }
  })

  it("is a 404 for another team, and nothing of another team's is changed", async () => {
    const [ours, theirs] = [await setUp(), await setUp()]
    const { data } = await theirs.create({ data: { lead_id: 'A' } })
    for (const at of [data.id, 'lead_id/A'])
      for (const reply of [await ours.fetch(at), await ours.update(at, { data: { x: 1 } }), await ours.remove(at)])
        expect(reply.status).toBe(404)
    expect((await theirs.fetch(data.id)).data).toEqual(data)
    await theirs.remove(data.id)
    expect((await ours.restore(data.id)).status).toBe(404)
    expect((await theirs.restore(data.id)).status).toBe(200)
    expect((await ours.create({ data: { lead_id: 'A' } })).status).toBe(201)
  })
})

describe('a body', () => {
  it('is refused for a member called __proto__ like for any unknown field', async () => {
    const { create } = await setUp()
    const reply = await create('{"__proto__": {"status": "CANCELLED"}, "constructor": 1}')
    expect(reply.status).toBe(400)
    expect(paths(reply).sort()).toEqual(['/body/__proto__', '/body/constructor'])
  })
})

describe('an id of which only the head is right', () => {
  it('finds nothing by any route, though its row number is right', async () => {
    const { team, create, fetch } = await setUp()
    const made = (await create({})).data
    const other = `${made.id.slice(0, -1)}${made.id.endsWith('0') ? '1' : '0'}`
    const address = `/v1/ext/procedure/lead/process/${other}`
    expect((await team.call('GET', address)).status).toBe(404)
    expect((await team.call('PUT', address, { status: 'COMPLETED' })).status).toBe(404)
    expect((await team.call('DELETE', address)).status).toBe(404)
    expect((await fetch(made.id)).data).toEqual(made)
  })
})
