import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newTeam, type Reply, type Team } from '../support/api.ts'
import { attribute, definition, newProcedure } from '../support/procedures.ts'

const put = (team: Team, changes: object = {}, shortId = 'lead') =>
  team.call('PUT', `/v1/ext/procedure/${shortId}`, definition({ ...changes }))
const get = (team: Team, shortId = 'lead') => team.call('GET', `/v1/ext/procedure/${shortId}`)
const paths = (reply: Reply): string[] => reply.meta.errors.map((each: { path: string }) => each.path)

const loadReady = async (team: Team): Promise<Record<string, boolean>> =>
  Object.fromEntries(
    (await get(team)).data.attributes
      .filter((each: { indexed: boolean }) => each.indexed)
      .map((each: { shortId: string; indexReady: boolean }) => [each.shortId, each.indexReady]),
  )

describe('a text of a definition', () => {
  it.each([
    ['half a surrogate pair', 'D\ud800'],
    ['a NUL', 'D\0'],
    ['a line break', 'D\n'],
  ])('is refused as a short id with %s in it', async (_, shortId) => {
    const team = await newTeam()
    const states = [{ shortId: 'NEW' }, { shortId: 'WON', next: [shortId] }, { shortId }]
    const refused = await put(team, { states, attributes: [attribute(shortId, 'string')], primaryKey: null })
    expect(refused.status).toBe(400)
    expect(paths(refused)).toEqual(['/body/states/1/next/0', '/body/states/2/shortId', '/body/attributes/0/shortId'])
    const odd = { startState: shortId, completedState: shortId, primaryKey: shortId, phoneAttribute: shortId }
    expect(paths(await put(team, odd)).sort()).toEqual(
      Object.keys(odd)
        .map(name => `/body/${name}`)
        .sort(),
    )
  })

  it('is refused as a name or a value of an enum that would not come back as it was sent', async () => {
    const attributes = [attribute('size', 'stringEnum', { name: 'Size\udc00', values: ['S', 'L\ud800', 'X\0'] })]
    const refused = await put(await newTeam(), { name: 'Lead\ud800', attributes, primaryKey: null })
    expect(refused.status).toBe(400)
    expect(paths(refused)).toEqual([
      '/body/name',
      '/body/attributes/0/name',
      '/body/attributes/0/values/1',
      '/body/attributes/0/values/2',
    ])
  })
})

describe('the number of a procedure', () => {
  const loadNumbers = async (team: Team) =>
    (await env.DB.prepare('SELECT no FROM procedure WHERE team = ? ORDER BY no').bind(team.no).all()).results

  it('is from a range of its own for each team, so that it is the same in any database', async () => {
    for (const team of [await newTeam(), await newTeam()]) {
      await put(team)
      await put(team, {}, 'ticket')
      expect(await loadNumbers(team)).toEqual([{ no: team.no * 4096 + 1 }, { no: team.no * 4096 + 2 }])
    }
  })

  it('is one of 4,095: one procedure more is refused, and can still be replaced', async () => {
    const team = await newTeam()
    await put(team)
    await env.DB.prepare('UPDATE procedure SET no = ? WHERE team = ?')
      .bind(team.no * 4096 + 4095, team.no)
      .run()
    const refused = await put(team, {}, 'ticket')
    expect(refused.status).toBe(409)
    expect(refused.errors).toEqual(['a team has at most 4095 procedures'])
    expect((await put(team)).status).toBe(200)
  })
})

describe('a procedure', () => {
  it('is created whole: 201, its address, names that default to short ids', async () => {
    const team = await newTeam()
    const made = await put(team, {
      states: [{ shortId: 'NEW', name: 'New', next: ['WON'] }, { shortId: 'WON' }],
      attributes: [
        attribute('lead_id', 'string', { required: true }),
        attribute('size', 'stringEnum', { values: ['S', 'L'] }),
      ],
      phoneAttribute: 'size',
      strict: true,
    })
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe('/v1/ext/procedure/lead')
    expect(made.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      shortId: 'lead',
      name: 'Lead',
      states: [
        { shortId: 'NEW', name: 'New', next: ['WON'] },
        { shortId: 'WON', name: 'WON' },
      ],
      startState: 'NEW',
      completedState: 'WON',
      attributes: [
        { shortId: 'lead_id', name: 'lead_id', type: 'string', required: true, indexed: false },
        { shortId: 'size', name: 'size', type: 'stringEnum', required: false, indexed: false, values: ['S', 'L'] },
      ],
      primaryKey: 'lead_id',
      phoneAttribute: 'size',
      strict: true,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
    })
    expect((await get(team)).data).toEqual(made.data)
    expect((await get(team, made.data.id)).data).toEqual(made.data)
    expect((await get(team, made.data.id.toUpperCase())).data).toEqual(made.data)
  })

  it('is replaced whole: 200, the same id, by short id or by id', async () => {
    const team = await newTeam()
    const made = (await put(team)).data
    const replaced = await put(team, { name: 'Prospect', attributes: [], primaryKey: null })
    expect(replaced.status).toBe(200)
    expect(replaced.data).toMatchObject({ id: made.id, name: 'Prospect', attributes: [], createdAt: made.createdAt })
    expect((await put(team, { name: 'By id' }, made.id)).data).toMatchObject({
      id: made.id,
      shortId: 'lead',
      name: 'By id',
    })
    expect((await team.call('GET', '/v1/ext/procedure')).data).toHaveLength(1)
  })

  it('is listed by short id, and belongs to one team', async () => {
    const [ours, theirs] = [await newTeam(), await newTeam()]
    for (const shortId of ['ticket', 'case', 'lead']) await put(ours, {}, shortId)
    const other = (await put(theirs, { name: 'Theirs' })).data
    const list = (await ours.call('GET', '/v1/ext/procedure')).data
    expect(list.map((each: { shortId: string }) => each.shortId)).toEqual(['case', 'lead', 'ticket'])
    expect((await get(ours, other.id)).status).toBe(404)
    expect((await put(ours, {}, other.id)).status).toBe(400)
    expect((await get(theirs)).data.name).toBe('Theirs')
  })

  it.each(['phoneNumber', '-lead', 'a b', 'ä', 'x'.repeat(101), '0198a000-0000-7000-8000-000000000009', 'a/b', '%'])(
    'can not be called %s',
    async shortId => {
      const refused = await put(await newTeam(), {}, encodeURIComponent(shortId))
      expect(refused.status).toBe(400)
      expect(paths(refused)).toEqual(['/path/procedureShortId'])
    },
  )

  const long = (count: number, type = 'string') =>
    Array.from({ length: count }, (_, index) => attribute(`a${index}`, type, { indexed: true }))

  it.each<[string, object, string[]]>([
    ['no states', { states: [] }, ['/body/states']],
    [
      'a state twice',
      { states: [{ shortId: 'NEW' }, { shortId: 'WON' }, { shortId: 'NEW' }] },
      ['/body/states/2/shortId'],
    ],
    ['an unknown start state', { startState: 'NWE' }, ['/body/startState']],
    ['an unknown completed state', { completedState: 'LOST' }, ['/body/completedState']],
    [
      'an unknown next state',
      { states: [{ shortId: 'NEW' }, { shortId: 'WON', next: ['NEW', 'OLD'] }] },
      ['/body/states/1/next/1'],
    ],
    [
      'an attribute twice',
      { attributes: [attribute('lead_id', 'string'), attribute('lead_id', 'text')] },
      ['/body/attributes/1/shortId'],
    ],
    ['an unknown type', { attributes: [attribute('lead_id', 'strng')] }, ['/body/attributes/0/type']],
    [
      'an enum without values',
      { primaryKey: null, attributes: [attribute('e', 'stringEnum')] },
      ['/body/attributes/0/values'],
    ],
    [
      'values without an enum',
      { primaryKey: null, attributes: [attribute('e', 'text', { values: ['a'] })] },
      ['/body/attributes/0/values'],
    ],
    [
      'values of another type',
      { primaryKey: null, attributes: [attribute('e', 'integerEnum', { values: [1, 1.5] })] },
      ['/body/attributes/0/values/1'],
    ],
    [
      'text among numbers',
      { primaryKey: null, attributes: [attribute('e', 'multiFloatEnum', { values: ['a'] })] },
      ['/body/attributes/0/values/0'],
    ],
    [
      'numbers among texts',
      { primaryKey: null, attributes: [attribute('e', 'multiStringEnum', { values: ['a', 1] })] },
      ['/body/attributes/0/values/1'],
    ],
    [
      'an index on a document',
      { primaryKey: null, attributes: [attribute('j', 'json', { indexed: true })] },
      ['/body/attributes/0/indexed'],
    ],
    ['17 indexed attributes', { primaryKey: null, attributes: long(17) }, ['/body/attributes']],
    ['an unknown primary key', { primaryKey: 'led_id' }, ['/body/primaryKey']],
    ['a list for a primary key', { attributes: [attribute('lead_id', 'multiString')] }, ['/body/primaryKey']],
    ['a boolean for a primary key', { attributes: [attribute('lead_id', 'boolean')] }, ['/body/primaryKey']],
    ['an unknown phone attribute', { phoneAttribute: 'phone' }, ['/body/phoneAttribute']],
    [
      'an unknown field of a state',
      { states: [{ shortId: 'NEW', colour: 1 }, { shortId: 'WON' }] },
      ['/body/states/0/colour'],
    ],
  ])('is refused with %s', async (_, changes, expected) => {
    const refused = await put(await newTeam(), changes)
    expect(refused.status).toBe(400)
    expect(paths(refused)).toEqual(expected)
  })

  it.each(['id', 'status', 'state', 'assignedTo', 'createdAt', 'updatedAt', 'nextActionAt', 'and', 'or'])(
    'has no attribute called %s: the query language uses the name',
    async shortId => {
      const refused = await put(await newTeam(), { primaryKey: null, attributes: [attribute(shortId, 'string')] })
      expect(paths(refused)).toEqual(['/body/attributes/0/shortId'])
      expect(refused.errors[0]).toContain('reserved')
    },
  )

  it('is refused with all faults at once, with hints for near misses', async () => {
    const refused = await put(await newTeam(), {
      startState: 'NEWW',
      primaryKey: 'led_id',
      attributes: [attribute('lead_id', 'string'), attribute('and', 'string'), attribute('e', 'stringEnum')],
    })
    expect(paths(refused)).toEqual([
      '/body/startState',
      '/body/attributes/1/shortId',
      '/body/attributes/2/values',
      '/body/primaryKey',
    ])
    expect(refused.meta.errors[0].hint).toBe('did you mean "NEW"?')
    expect(refused.meta.errors[3].hint).toBe('did you mean "lead_id"?')
  })

  it('is refused with all faults at once also where some are of its shape, and with none that these alone cause', async () => {
    const team = await newTeam()
    const refused = await put(team, {
      name: 7,
      states: [
        { shortId: 'NEW', next: ['GONE'] },
        { shortId: 'WON', status: 'DONE' },
        { shortId: 'NEW', startsHere: false },
        { shortId: 'PAID', status: 'COMPLETED' },
      ],
      startState: 'NWE',
      completedState: 'WON',
      attributes: [
        attribute('lead_id', 'strng'),
        attribute('id', 'string'),
        attribute('size', 'stringEnum'),
        { ...attribute('note', 'json', { indexed: true }), colour: 'red' },
        attribute('place', 'geolocation', { searchable: true }),
      ],
      primaryKey: 'lead_id',
      phoneAttribute: 'mobile',
    })
    expect(refused.status).toBe(400)
    expect(paths(refused).toSorted()).toEqual(
      [
        '/body/name',
        '/body/states/1/status',
        '/body/attributes/0/type',
        '/body/attributes/3/colour',
        '/body/states/2/shortId',
        '/body/states/0/next/0',
        '/body/startState',
        '/body/attributes/1/shortId',
        '/body/attributes/2/values',
        '/body/attributes/4/searchable',
        '/body/phoneAttribute',
      ].toSorted(),
    )
    // What no rule can look at is left alone.
    for (const [body, path] of [
      [{ states: 'many' }, '/body/states'],
      [{ states: [{ shortId: 7 }], startState: 'X' }, '/body/states/0/shortId'],
      [{ attributes: [{ shortId: '' }], primaryKey: 'x' }, '/body/attributes/0/shortId'],
      [{ attributes: [7] }, '/body/attributes/0'],
    ] as const)
      expect(paths(await put(team, body))).toContain(path)
    expect((await put(team, { name: 7, startState: 'NWE' }, 'phoneNumber')).meta.errors).toHaveLength(3)
  })

  it('is refused with the possible types and members where one of an attribute is unknown', async () => {
    const refused = await put(await newTeam(), {
      attributes: [
        { ...attribute('lead_id', 'string'), index: true },
        { shortId: 'city', type: 'enum' },
      ],
    })
    const hints = Object.fromEntries(refused.meta.errors.map(({ path, hint }: Record<string, string>) => [path, hint]))
    expect(hints).toEqual({
      '/body/attributes/0/index': 'did you mean "indexed"?',
      '/body/attributes/1/type': 'did you mean "stringEnum"?',
    })
  })

  it('may have 16 indexed attributes beside an indexed primary key, and any text as an attribute name', async () => {
    const team = await newTeam()
    const names = [
      'a.b',
      'a"b',
      "a'b",
      'a[0]',
      'a\\b',
      'नाम',
      '😀',
      ' ',
      '$',
      '?1',
      '~',
      '__proto__',
      'constructor',
      'toString',
    ]
    const made = await put(team, {
      attributes: [
        ...names.map(name => attribute(name, 'string', { indexed: true })),
        attribute('x', 'string', { indexed: true }),
        attribute('y', 'integer', { indexed: true }),
        attribute('lead_id', 'string', { indexed: true }),
      ],
    })
    expect(made.status).toBe(201)
    const ready = await loadReady(team)
    expect(Object.keys(ready).sort()).toEqual([...names, 'x', 'y', 'lead_id'].sort())
    expect(Object.values(ready).every(Boolean)).toBe(true)
  })

  it('is as one of two wrote it where both change it at once', async () => {
    const team = await newTeam()
    const replies = await Promise.all(['A', 'B', 'C', 'D', 'E', 'F'].map(name => put(team, { name })))
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const { status } of replies) expect([200, 201, 409]).toContain(status)
    expect('ABCDEF').toContain((await get(team)).data.name)
  })
})

describe('replacing a definition', () => {
  it('never removes a state that processes are in: 409 with the count', async () => {
    const team = await newTeam()
    const { create, update, remove, define } = await newProcedure(team)
    const without = { states: [{ shortId: 'NEW' }, { shortId: 'WON' }] }
    const busy = [(await create({ state: 'BUSY' })).data, (await create({ state: 'BUSY' })).data]
    await create()
    const refused = await define(without)
    expect(refused.status).toBe(409)
    expect(refused.meta.errors).toMatchObject([
      {
        code: 'definition_in_use',
        path: '/body/states',
        state: 'BUSY',
        processes: 2,
        message: expect.stringContaining('2'),
      },
    ])
    await update(busy[0].id, { state: 'NEW' })
    expect((await define(without)).meta.errors[0].processes).toBe(1)
    await remove(busy[1].id)
    expect((await define(without)).status).toBe(200)
  })

  it('never changes the primary key of a procedure with processes: 409 with the count', async () => {
    const team = await newTeam()
    const { create, remove, define } = await newProcedure(team)
    const { data } = await create()
    for (const primaryKey of ['city', null]) {
      const refused = await define({ primaryKey })
      expect(refused.status).toBe(409)
      expect(refused.meta.errors).toMatchObject([{ code: 'definition_in_use', path: '/body/primaryKey', processes: 1 }])
    }
    await remove(data.id)
    expect((await define({ primaryKey: 'city' })).status).toBe(200)
  })

  it('reports both at once', async () => {
    const team = await newTeam()
    const { create, define } = await newProcedure(team)
    await create({ state: 'BUSY' })
    const refused = await define({ states: [{ shortId: 'NEW' }, { shortId: 'WON' }], primaryKey: null })
    expect(paths(refused).sort()).toEqual(['/body/primaryKey', '/body/states'])
  })

  it('loses no data: an attribute that is no longer declared stays, and is checked again once it is', async () => {
    const team = await newTeam()
    const { create, fetch, update, define } = await newProcedure(team)
    const { data } = await create({ data: { city: 'Pune', score: 3 } })
    await define({ attributes: [attribute('lead_id', 'string')] })
    expect((await fetch(data.id)).data.data).toEqual({ city: 'Pune', score: 3 })
    expect((await update(data.id, { data: { score: 'many' } })).status).toBe(200)
    await define({})
    expect((await fetch(data.id)).data.data).toEqual({ city: 'Pune', score: 'many' })
    expect((await update(data.id, { data: { score: 'more' } })).status).toBe(400)
  })

  it('applies at once to the next request, though the isolate remembers the older one', async () => {
    const team = await newTeam()
    const { create, define, fetch } = await newProcedure(team)
    expect((await create({ data: { lead_id: '1' } })).status).toBe(201)
    await define({ strict: true })
    expect((await create({ data: { colour: 'red' } })).status).toBe(400)
    await define({
      strict: false,
      states: [{ shortId: 'NEW' }, { shortId: 'LATER' }, { shortId: 'BUSY' }, { shortId: 'WON' }],
    })
    expect((await create({ data: { colour: 'red' }, state: 'LATER' })).status).toBe(201)
    expect((await fetch('lead_id/1')).status).toBe(200)
  })

  it('applies to an update that the older one would refuse', async () => {
    const team = await newTeam()
    const { create, define, update } = await newProcedure(team)
    const { data } = await create()
    await define({ states: [{ shortId: 'NEW', next: ['BUSY'] }, { shortId: 'BUSY' }, { shortId: 'WON' }] })
    expect((await update(data.id, { state: 'WON' })).status).toBe(409)
    await define({ states: [{ shortId: 'NEW' }, { shortId: 'BUSY' }, { shortId: 'WON' }] })
    expect((await update(data.id, { state: 'WON' })).status).toBe(200)
  })

  it('leaves no process in a state that is gone while processes are being created', async () => {
    const team = await newTeam()
    const { create, define, path } = await newProcedure(team)
    const [defined, ...created] = await Promise.all([
      define({ states: [{ shortId: 'NEW' }, { shortId: 'WON' }] }),
      ...Array.from({ length: 10 }, () => create({ state: 'BUSY' })),
    ])
    const made = created.filter(({ status }) => status === 201)
    for (const { status } of created) expect([201, 400]).toContain(status)
    expect(defined.status).toBe(made.length > 0 ? 409 : 200)
    const inUse = (await team.call('GET', path)).data.map((each: { state: string }) => each.state)
    const known = (await get(team)).data.states.map((each: { shortId: string }) => each.shortId)
    for (const state of inUse) expect(known).toContain(state)
  })
})

describe('the configuration', () => {
  it('resolves every id: team, procedures, attributes, states, roles, users', async () => {
    const team = await newTeam('Acme Works')
    const lead = (await put(team)).data
    await put(team, { name: 'Ticket', attributes: [], primaryKey: null }, 'ticket')
    await team.call('POST', '/v1/ext/user', { username: 'meera', role: 'agent', firstName: 'Meera' })
    const { data, cost } = await team.call('GET', '/v1/ext/config')
    expect(Object.keys(data)).toEqual(['team', 'procedures', 'attributes', 'states', 'roles', 'users', 'plugins'])
    expect(data.team).toEqual({ id: team.id, shortId: 'acme_works', name: 'Acme Works' })
    expect(data.procedures.map((each: { shortId: string }) => each.shortId)).toEqual(['lead', 'ticket'])
    expect(data.procedures[0]).toEqual(lead)
    expect(data.attributes).toHaveLength(3)
    expect(data.attributes[0]).toMatchObject({
      shortId: 'lead_id',
      type: 'string',
      procedure: lead.id,
      procedureShortId: 'lead',
    })
    expect(data.states).toHaveLength(6)
    expect(data.states[5]).toMatchObject({ shortId: 'WON', procedureShortId: 'ticket' })
    expect(data.roles.map((each: { shortId: string }) => each.shortId)).toEqual(['admin', 'manager', 'agent', 'viewer'])
    expect(data.users).toEqual([
      { id: team.admin, username: 'admin', displayName: 'Admin', role: 'admin', isActive: true },
      { id: expect.any(String), username: 'meera', displayName: 'Meera', role: 'agent', isActive: true },
    ])
    expect(data.plugins).toEqual([])
    expect(cost.written).toBe(0)
  })
})

describe('the entity tag of a procedure', () => {
  const getTag = (reply: Reply) => reply.headers.get('etag') ?? ''
  const putIf = (team: Team, tag: string, changes: object = {}, query = '') =>
    team.call('PUT', `/v1/ext/procedure/lead${query}`, definition({ ...changes }), { 'if-match': tag })

  it('allows by If-Match to replace a definition only while nobody else has changed it', async () => {
    const team = await newTeam()
    const made = await put(team)
    const fetched = await get(team)
    expect(getTag(fetched)).toBe(getTag(made))
    const changed = await putIf(team, getTag(fetched), { name: 'One' })
    expect(changed.status).toBe(200)
    for (const query of ['', '?dryRun=true']) {
      const late = await putIf(team, getTag(fetched), { name: 'Other' }, query)
      expect([late.status, late.meta.errors[0]]).toMatchObject([
        412,
        { code: 'precondition_failed', path: '/header/if-match' },
      ])
    }
    expect((await get(team)).data.name).toBe('One')
    expect((await putIf(team, `W/${getTag(changed)}`, { name: 'Two' })).status).toBe(200)
  })

  it('differs for definitions that are replaced at the same moment', async () => {
    const team = await newTeam()
    await put(team)
    const tags = await Promise.all(['A', 'B', 'C'].map(async name => getTag(await put(team, { name }))))
    expect(new Set(tags).size).toBe(3)
    const times = tags.map(tag => tag.split('-')[0])
    expect(new Set(times).size).toBe(3)
  })

  it('is still that of the definition after its indexes were built, and of another response', async () => {
    const team = await newTeam()
    const { create } = await newProcedure(team)
    await create({ data: { lead_id: 'A', size: 5 } })
    const indexed = { attributes: [attribute('lead_id', 'string'), attribute('size', 'integer', { indexed: true })] }
    const begun = await put(team, indexed)
    const built = await get(team)
    expect(built.data.attributes[1].indexReady).toBe(true)
    expect(
      (await team.call('GET', '/v1/ext/procedure/lead', undefined, { 'if-none-match': getTag(built) })).status,
    ).toBe(304)
    expect((await putIf(team, getTag(begun), indexed)).status).toBe(200)
  })

  it('matches nothing without a procedure, and * replaces without creating', async () => {
    const team = await newTeam()
    for (const tag of ['*', '"1-1"', '"none of ours"']) expect((await putIf(team, tag)).status).toBe(412)
    expect((await get(team)).status).toBe(404)
    await put(team)
    expect((await putIf(team, '*', { name: 'Any' })).status).toBe(200)
    for (const tag of ['"0-0"', '"1-1"', '"none of ours"']) expect((await putIf(team, tag)).status).toBe(412)
    expect((await putIf(team, 'unquoted')).status).toBe(400)
  })

  it('allows, if it is of a dry run, to save the definition only while it would do what was shown', async () => {
    const team = await newTeam()
    const ofNone = await put(team, {}, 'lead?dryRun=true')
    expect(getTag(ofNone)).toBe('"0-0"')
    expect((await putIf(team, getTag(ofNone))).status).toBe(201)
    expect((await putIf(team, getTag(ofNone))).status).toBe(412)
    const seen = await put(team, { name: 'Seen' }, 'lead?dryRun=true')
    expect(getTag(seen)).toBe(getTag(await get(team)))
    await put(team, { name: 'Other' })
    expect((await putIf(team, getTag(seen), { name: 'Seen' })).status).toBe(412)
  })

  it('lets one of several writers through who fetched the same definition', async () => {
    const team = await newTeam()
    const tag = getTag(await put(team))
    const all = await Promise.all(['A', 'B', 'C', 'D'].map(name => putIf(team, tag, { name })))
    expect(all.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
    expect((await get(team)).data).toEqual(all.find(({ status }) => status === 200)?.data)
  })

  it('does not block a repeated request with its idempotency key', async () => {
    const team = await newTeam()
    const headers = { 'if-match': getTag(await put(team)), 'idempotency-key': crypto.randomUUID() }
    const again = () => team.call('PUT', '/v1/ext/procedure/lead', definition({ name: 'Once' }), headers)
    const [first, second] = [await again(), await again()]
    expect([first.status, second.status, getTag(second)]).toEqual([200, 200, getTag(first)])
  })
})
