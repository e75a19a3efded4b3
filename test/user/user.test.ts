import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { ROLES } from '../../src/roles.ts'
import { formatDisplayName, formatLocalTime } from '../../src/user/rules.ts'
import { newTeam, type Team } from '../support/api.ts'
import { type Call, Harness } from '../support/harness.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const roleId = (shortId: string) => ROLES.find(role => role.shortId === shortId)?.id

const create = (team: Team, body: object = {}) =>
  team.call('POST', '/v1/ext/user', { username: `user-${crypto.randomUUID()}`, role: 'agent', ...body })
const fetch = (team: Team, id: string, version = 'v1') => team.call('GET', `/${version}/ext/user/${id}`)
const list = (team: Team, version = 'v1') => team.call('GET', `/${version}/ext/users`)

/** A change of a user with others between what it has read and what it writes, at each attempt. */
async function putOvertaken(team: Team, path: string, body: object, meanwhile: (nth: number) => unknown) {
  let attempts = 0
  const before = async ({ sql }: Call) => {
    if (/UPDATE "?user"? /.test(sql)) await meanwhile(++attempts)
  }
  const reply = await new Harness({}, { before }).request(team, 'PUT', path, body)
  expect(attempts).toBeGreaterThan(0)
  return reply
}

const LISTED_KEYS = [
  'id createdAt updatedAt username firstName lastName middleName displayName gender dob bio profileImageUrl',
  'coverImageUrl timezone data onboardingData isActive isDeleted deletedAt availabilityStatus team role primaryEmail',
  'primaryPhone profile',
]
  .join(' ')
  .split(' ')

const meera = {
  username: 'meera',
  email: 'Meera.Iyer@Example.com',
  firstName: 'Meera',
  lastName: 'Iyer',
  role: 'manager',
  timezone: '+0530',
}

describe('a user in version 1', () => {
  it('has exactly the documented members, empty ones as "", 0 or null', async () => {
    const team = await newTeam()
    const made = await create(team, meera)
    expect(made.status).toBe(201)
    expect(made.headers.get('location')).toBe(`/v1/ext/user/${made.data.id}`)
    const email = {
      id: expect.stringMatching(UUID),
      createdAt: made.data.createdAt,
      updatedAt: made.data.createdAt,
      email: 'Meera.Iyer@Example.com',
      normalizedEmail: 'meera.iyer@example.com',
      type: '',
      isVerified: false,
      user: made.data.id,
    }
    const listed = {
      id: expect.stringMatching(UUID),
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      username: 'meera',
      firstName: 'Meera',
      lastName: 'Iyer',
      middleName: '',
      displayName: 'Meera Iyer',
      gender: '',
      dob: 0,
      bio: '',
      profileImageUrl: '',
      coverImageUrl: '',
      timezone: '+0530',
      data: null,
      onboardingData: null,
      isActive: true,
      isDeleted: false,
      deletedAt: null,
      availabilityStatus: 'AVAILABLE',
      team: team.id,
      role: roleId('manager'),
      primaryEmail: email,
      primaryPhone: null,
      profile: null,
    }
    expect(Object.keys(listed)).toEqual(LISTED_KEYS)
    const single = { ...listed, phones: [], emails: [email], reportees: [] }
    expect(made.data).toEqual(single)
    expect((await fetch(team, made.data.id)).data).toEqual(single)
    expect((await list(team)).data[1]).toEqual(listed)
  })

  it('has null and no e-mails without an e-mail address, and empty names', async () => {
    const team = await newTeam()
    const { data } = await create(team)
    expect(data).toMatchObject({ primaryEmail: null, emails: [], firstName: '', lastName: '', displayName: '' })
    expect(data.timezone).toBe('+0000')
  })

  it('comes with those who report to it, in the listed shape, in order of creation', async () => {
    const team = await newTeam()
    const manager = (await create(team, meera)).data
    const reports = []
    for (const username of ['jonas', 'lucia']) reports.push((await create(team, { username, manager: 'meera' })).data)
    await create(team, { username: 'other' })
    const found = (await fetch(team, manager.id)).data
    expect(found.reportees.map((each: { id: string }) => each.id)).toEqual(reports.map(each => each.id))
    for (const reportee of found.reportees) expect(Object.keys(reportee)).toEqual(LISTED_KEYS)
    expect((await fetch(team, reports[0].id)).data.reportees).toEqual([])
    const all = (await list(team)).data
    for (const each of all) expect(Object.keys(each)).toEqual(LISTED_KEYS)
  })
})

describe('a user in version 2', () => {
  it('has the same data in words: local times, short names, the address itself', async () => {
    const team = await newTeam('Night Shift')
    const one = (await create(team, meera)).data
    await create(team, { username: 'jonas', manager: one.id, timezone: '-0330' })
    const v1 = (await fetch(team, one.id, 'v1')).data
    const v2 = (await fetch(team, one.id, 'v2')).data
    expect(v2).toEqual({
      ...v1,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+05:30$/),
      updatedAt: expect.stringMatching(/\+05:30$/),
      team: 'night_shift',
      role: 'manager',
      primaryEmail: 'Meera.Iyer@Example.com',
      reportees: [expect.objectContaining({ username: 'jonas', role: 'agent', team: 'night_shift' })],
    })
    expect(Object.keys(v2)).toEqual(Object.keys(v1))
    expect(Date.parse(v2.createdAt)).toBe(v1.createdAt)
    expect(v2.emails).toEqual(v1.emails)
    expect(v2.timezone).toBe('+0530')
    const listed = (await list(team, 'v2')).data
    for (const each of listed) expect(Object.keys(each)).toEqual(LISTED_KEYS)
    expect(listed[2].createdAt).toMatch(/-03:30$/)
    expect(listed[0].primaryEmail).toBeNull()
  })

  it('has a true instant in every timezone', () => {
    const offset = fc
      .tuple(fc.constantFrom('+', '-'), fc.nat({ max: 14 }), fc.nat({ max: 59 }))
      .map(([sign, hours, minutes]) => `${sign}${String(hours).padStart(2, '0')}${String(minutes).padStart(2, '0')}`)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), offset, (ms, zone) => {
        const told = formatLocalTime(ms, zone)
        expect(Date.parse(told)).toBe(ms)
        expect(told.slice(23)).toBe(`${zone.slice(0, 3)}:${zone.slice(3)}`)
      }),
    )
    expect(formatLocalTime(1_631_817_298_108, '+0530')).toBe('2021-09-17T00:04:58.108+05:30')
  })
})

describe('listing users', () => {
  it('is in order of creation, leaves out deleted ones, and costs one round trip on a warm isolate', async () => {
    const team = await newTeam()
    for (const username of ['zoe', 'adam', 'mia']) await create(team, { username })
    await env.DB.prepare("UPDATE user SET deleted_at = 1 WHERE team = ? AND username = 'adam'").bind(team.no).run()
    const { data, cost } = await list(team)
    expect(data.map((each: { username: string }) => each.username)).toEqual(['admin', 'zoe', 'mia'])
    expect(cost).toMatchObject({ trips: 1, written: 0 })
    expect((await list(team, 'v2')).cost.trips).toBe(1)
  })

  it("shows only one's own team", async () => {
    const [ours, theirs] = [await newTeam(), await newTeam()]
    const { data } = await create(theirs, meera)
    expect((await list(ours)).data).toHaveLength(1)
    for (const version of ['v1', 'v2']) expect((await fetch(ours, data.id, version)).status).toBe(404)
    expect((await ours.call('PUT', `/v1/ext/user/${data.id}`, { firstName: 'X' })).status).toBe(404)
    expect((await fetch(theirs, data.id)).data.firstName).toBe('Meera')
  })
})

describe('fetching a user', () => {
  it('accepts the id in any case, and is a 404 for a malformed id', async () => {
    const team = await newTeam()
    expect((await fetch(team, team.admin.toUpperCase())).status).toBe(200)
    for (const id of ['admin', 'x', crypto.randomUUID(), `${team.admin}0`, '%00', "'"])
      expect((await fetch(team, encodeURIComponent(id))).status, id).toBe(404)
  })

  it('is a 404 for a deleted one', async () => {
    const team = await newTeam()
    const { data } = await create(team)
    await env.DB.prepare('UPDATE user SET deleted_at = 1 WHERE id = ?').bind(data.id).run()
    expect((await fetch(team, data.id)).status).toBe(404)
    expect((await team.call('PUT', `/v1/ext/user/${data.id}`, { firstName: 'X' })).status).toBe(404)
  })
})

describe('updating a user', () => {
  const update = (team: Team, id: string, body: unknown) => team.call('PUT', `/v1/ext/user/${id}`, body)

  it('changes first and last name, each alone too, and the display name follows', async () => {
    const team = await newTeam()
    const { data } = await create(team, meera)
    const first = await update(team, data.id, { firstName: 'Mira' })
    expect(first.status).toBe(200)
    expect(first.data).toMatchObject({ firstName: 'Mira', lastName: 'Iyer', displayName: 'Mira Iyer' })
    const last = await update(team, data.id, { lastName: '' })
    expect(last.data).toMatchObject({ firstName: 'Mira', lastName: '', displayName: 'Mira' })
    const fetched = (await fetch(team, data.id)).data
    expect(fetched).toEqual(last.data)
    expect(fetched.updatedAt).toBeGreaterThanOrEqual(data.updatedAt)
    expect(fetched.createdAt).toBe(data.createdAt)
  })

  it('leaves a display name that was set by hand', async () => {
    const team = await newTeam()
    const { data } = await create(team, { ...meera, displayName: 'The Boss' })
    const updated = await update(team, data.id, { firstName: 'A', lastName: 'B' })
    expect(updated.data.displayName).toBe('The Boss')
    expect((await fetch(team, data.id)).data.displayName).toBe('The Boss')
  })

  it('loses nothing when both names are changed at once by two', async () => {
    const team = await newTeam()
    const { data } = await create(team)
    await Promise.all([update(team, data.id, { firstName: 'Ada' }), update(team, data.id, { lastName: 'Lovelace' })])
    const now = (await fetch(team, data.id)).data
    expect(now).toMatchObject({ firstName: 'Ada', lastName: 'Lovelace', displayName: 'Ada Lovelace' })
  })

  it.each([
    ['', { firstName: 'Ada' }, '/access', { role: 'viewer', isActive: false }],
    ['/access', { isActive: false }, '', { firstName: 'Ada' }],
  ])(
    'answers what is stored where names and access are changed at once: PUT …%s',
    async (path, body, other, change) => {
      const team = await newTeam()
      const { data } = await create(team)
      const address = `/v1/ext/user/${data.id}`
      const reply = await putOvertaken(team, `${address}${path}`, body, nth =>
        nth === 1 ? team.call('PUT', `${address}${other}`, change) : undefined,
      )
      expect(reply.status).toBe(200)
      const stored = (await fetch(team, data.id)).data
      expect(stored).toMatchObject({ firstName: 'Ada', displayName: 'Ada', isActive: false })
      expect(reply.body._data).toEqual(stored)
    },
  )

  it.each([
    ['', { lastName: 'Lovelace' }],
    ['/access', { isActive: false }],
  ])('is refused where others change the user each time: PUT …%s', async (path, body) => {
    const team = await newTeam()
    const { data } = await create(team)
    const address = `/v1/ext/user/${data.id}`
    const reply = await putOvertaken(team, `${address}${path}`, body, nth =>
      Promise.all([
        team.call('PUT', address, { firstName: `Ada ${nth}` }),
        team.call('PUT', `${address}/access`, { role: nth % 2 === 0 ? 'agent' : 'viewer' }),
      ]),
    )
    expect([reply.status, reply.body._meta.errors[0]]).toMatchObject([
      409,
      { code: 'conflict', message: 'the user is being changed by other requests; try again' },
    ])
    expect((await fetch(team, data.id)).data).toMatchObject({ lastName: '', isActive: true })
  })

  it.each([
    ['nothing', {}, '/body'],
    ['null', { firstName: null }, '/body/firstName'],
    ['a number', { lastName: 7 }, '/body/lastName'],
    ['101 characters', { firstName: 'x'.repeat(101) }, '/body/firstName'],
    ['another member', { firstName: 'A', username: 'root' }, '/body/username'],
    ['a role', { role: 'admin' }, '/body/role'],
  ])('refuses %s', async (_, body, path) => {
    const team = await newTeam()
    const refused = await update(team, team.admin, body)
    expect(refused.status).toBe(400)
    expect(refused.meta.errors.map((each: { path: string }) => each.path)).toContain(path)
  })

  it('accepts 100 characters of any script', async () => {
    const team = await newTeam()
    const firstName = '名'.repeat(100)
    expect((await update(team, team.admin, { firstName })).data.firstName).toBe(firstName)
    expect((await fetch(team, team.admin)).data.firstName).toBe(firstName)
  })
})

describe('a change of a manager with an idempotency key', () => {
  const REPORTEES = 9_000
  const key = () => ({ 'idempotency-key': crypto.randomUUID() })
  const addReportees = (team: Team, manager: string) =>
    env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
        INSERT INTO user (no, id, team, username, role, is_active, created_at, updated_at, manager)
        SELECT -(?1 * 10000 + i), printf('%08x-0000-7000-8000-%012x', ?1, i), ?1, 'user ' || i, 'agent', 1, 0, 0, ?2 FROM n`,
    )
      .bind(team.no, manager, REPORTEES)
      .run()

  it('is made and repeated, however many report to them', async () => {
    const team = await newTeam()
    const { id } = (await create(team, meera)).data
    await addReportees(team, id)
    const changes = [
      [`/v1/ext/user/${id}`, { lastName: 'Rao' }],
      [`/v1/ext/user/${id}/access`, { isActive: false }],
    ] as const
    for (const [path, body] of changes) {
      const headers = key()
      const first = await team.call('PUT', path, body, headers)
      expect([first.status, first.data.reportees?.length], path).toEqual([200, REPORTEES])
      const second = await team.call('PUT', path, body, headers)
      expect(second.headers.get('idempotency-replayed')).toBe('true')
      expect(second.data).toEqual(first.data)
    }
    expect((await fetch(team, id)).data).toMatchObject({ lastName: 'Rao', isActive: false })
  })

  it('is repeated with those who report to them by now, also where others were kept with it, and where the user is gone', async () => {
    const team = await newTeam()
    const { id } = (await create(team, meera)).data
    const { data: gone } = await create(team, { manager: 'meera' })
    const [path, headers] = [`/v1/ext/user/${id}`, key()]
    const put = () => team.call('PUT', path, { lastName: 'Rao' }, headers)
    const reportees = async () => {
      const { status, data } = await put()
      expect([status, data.lastName]).toEqual([200, 'Rao'])
      return data.reportees.map((each: { id: string }) => each.id)
    }
    expect(await reportees()).toEqual([gone.id])
    await env.DB.prepare(
      `UPDATE idempotency SET outcome = jsonb_set(outcome, '$.reportees', jsonb_array(outcome -> '$.row')) WHERE team = ?`,
    )
      .bind(team.no)
      .run()
    const { data: added } = await create(team, { manager: 'meera' })
    await env.DB.prepare('UPDATE user SET deleted_at = 1 WHERE id = ?').bind(gone.id).run()
    expect(await reportees()).toEqual([added.id])
    await env.DB.prepare('UPDATE user SET deleted_at = 1 WHERE id = ?').bind(id).run()
    expect(await reportees()).toEqual([])
  })
})

describe('creating a user', () => {
  it.each([
    ['no username', { username: undefined }, '/body/username'],
    ['a username with a space', { username: 'a b' }, '/body/username'],
    ['an unknown role', { role: 'king' }, '/body/role'],
    ['a malformed e-mail address', { email: 'nope' }, '/body/email'],
    ['a timezone by name', { timezone: 'Asia/Kolkata' }, '/body/timezone'],
    ['a timezone beyond the earth', { timezone: '+1500' }, '/body/timezone'],
    ['an unknown manager', { manager: 'nobody' }, '/body/manager'],
  ])('refuses %s', async (_, body, path) => {
    const refused = await create(await newTeam(), body)
    expect(refused.status).toBe(400)
    expect(refused.meta.errors.map((each: { path: string }) => each.path)).toEqual([path])
  })

  it('refuses a username and an e-mail address that the team has, in any case of the address', async () => {
    const team = await newTeam()
    await create(team, meera)
    const same = await create(team, { username: 'meera' })
    expect(same.status).toBe(409)
    expect(same.meta.errors[0]).toMatchObject({ code: 'conflict', path: '/body/username' })
    const mail = await create(team, { username: 'm2', email: 'MEERA.IYER@EXAMPLE.COM' })
    expect(mail.status).toBe(409)
    expect(mail.meta.errors[0].path).toBe('/body/email')
    expect((await create(await newTeam(), meera)).status).toBe(201)
  })

  it('makes one of two with the same username at the same time', async () => {
    const team = await newTeam()
    const replies = await Promise.all([1, 2, 3, 4].map(() => create(team, { username: 'twin' })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  })
})

it('a team has 10,000 users at most, the deactivated ones among them', async () => {
  const team = await newTeam()
  // With the admin, one fewer than there may be.
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9998)
      INSERT INTO user (no, id, team, username, role, is_active, created_at, updated_at)
      SELECT -(?1 * 10000 + i), 'of ' || ?1 || ' ' || i, ?1, 'user ' || i, 'agent', i % 2, 0, 0 FROM n`,
  )
    .bind(team.no)
    .run()
  expect((await create(team)).status).toBe(201)
  const refused = await create(team)
  expect([refused.status, refused.meta.errors[0].code]).toEqual([409, 'conflict'])
  expect(refused.errors).toEqual(['a team may have 10,000 users, the deactivated ones among them'])
  await env.DB.prepare('DELETE FROM user WHERE team = ? AND no < 0').bind(team.no).run()
  expect((await create(team)).status).toBe(201)
})

describe('row numbers of users', () => {
  it('are drawn again if a user of any team has them', async () => {
    const [team, other] = [await newTeam(), await newTeam()]
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const taken = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    try {
      expect((await create(other)).status).toBe(201)
      let left = 3
      taken.mockImplementation(() => (left-- > 0 ? 0.5 : 0.25))
      const body = { username: 'meera', email: 'meera@example.com' }
      const made = await create(team, body)
      expect(made.status, made.errors.join()).toBe(201)
      expect((await list(team)).data).toEqual([
        expect.objectContaining({ username: 'admin' }),
        expect.objectContaining({ id: made.data.id }),
      ])
      // An e-mail address that is taken is no row number that is taken.
      taken.mockReturnValue(0.75)
      const refused = await create(team, { ...body, username: 'meera2' })
      expect([refused.status, refused.meta.errors[0].path]).toEqual([409, '/body/email'])
    } finally {
      taken.mockRestore()
      vi.useRealTimers()
    }
  })
})

describe('a display name', () => {
  it('is first and last name, without a space where one is missing', () => {
    expect(formatDisplayName({ firstName: 'A', lastName: 'B' })).toBe('A B')
    expect(formatDisplayName({ firstName: 'A' })).toBe('A')
    expect(formatDisplayName({ lastName: 'B' })).toBe('B')
    expect(formatDisplayName({})).toBe('')
  })

  it('that is sent empty, as forms do, is none that somebody has chosen', async () => {
    const team = await newTeam()
    const made = await create(team, { firstName: 'Asha', lastName: 'Rao', displayName: '' })
    expect([made.status, made.data.displayName]).toEqual([201, 'Asha Rao'])
    const changed = await team.call('PUT', `/v1/ext/user/${made.data.id}`, { lastName: 'Iyer' })
    expect(changed.data.displayName).toBe('Asha Iyer')
  })
})

describe('the role of a new user', () => {
  it.each([
    ['admin', 'admin', 201],
    ['manager', 'manager', 201],
    ['manager', 'viewer', 201],
    ['manager', 'admin', 403],
  ])('given by a role %s: %s is a %i', async (giver, role, status) => {
    const team = await (await newTeam()).as(giver)
    const reply = await create(team, { role })
    expect(reply.status).toBe(status)
    if (status === 403)
      expect(reply.meta.errors[0]).toMatchObject({
        code: 'permission_denied',
        path: '/body/role',
        permission: 'process:purge',
      })
  })
})

describe('a username', () => {
  it('cannot be the id of another user, nor an e-mail address but the own one', async () => {
    const team = await newTeam()
    const { data } = await create(team, { username: 'meera', email: 'meera@acme.example' })
    for (const username of [data.id, data.id.toUpperCase(), 'meera@acme.example', 'x@y']) {
      const refused = await create(team, { username, email: 'other@acme.example' })
      expect(refused.status, username).toBe(400)
      expect(refused.meta.errors.map((each: { path: string }) => each.path)).toEqual(['/body/username'])
    }
    expect((await create(team, { username: 'Other@acme.example', email: 'other@acme.example' })).status).toBe(201)
  })
})
