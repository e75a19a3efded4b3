import { beforeEach, describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { attribute, definition } from '../support/procedures.ts'

const PATH = '/v1/ext/procedure/lead'
let team: Team

beforeEach(async () => {
  team = await newTeam()
  const attributes = [
    attribute('lead_id', 'string'),
    attribute('city', 'string', { indexed: true }),
    attribute('notes', 'text', { searchable: true, personal: true }),
  ]
  expect((await team.call('PUT', PATH, definition({ attributes }))).status).toBe(201)
})

const getPaths = (reply: Awaited<ReturnType<Team['call']>>) =>
  reply.meta.errors.map(({ path }: { path: string }) => path)

describe('a definition that was read', () => {
  it('can be put back as it was read, with the schema of an editor', async () => {
    const { data: read } = await team.call('GET', PATH)
    expect(read.attributes[1].indexReady).toBe(true)
    expect(read.attributes.map(({ personal }: { personal?: boolean }) => personal)).toEqual([
      undefined,
      undefined,
      true,
    ])
    const put = await team.call('PUT', PATH, { $schema: './procedure.json', ...read })
    expect([put.status, put.errors]).toEqual([200, []])
    expect(put.data).toEqual({ ...read, updatedAt: expect.any(Number) })
    const dryRun = await team.call('PUT', `${PATH}?dryRun=true`, put.data)
    expect(dryRun.data).toMatchObject({ isAllowed: true, changes: [] })
  })

  it('leaves out an index or a search index that an attribute no longer has', async () => {
    const { data: read } = await team.call('GET', PATH)
    expect(read.attributes).toMatchObject([{}, { indexReady: true }, { searchReady: expect.any(Boolean) }])
    const attributes = read.attributes.map((each: object) => ({ ...each, indexed: false, searchable: false }))
    expect((await team.call('PUT', PATH, { ...read, attributes })).errors).toEqual([])
    for (const each of (await team.call('GET', PATH)).data.attributes)
      expect(Object.keys(each)).not.toEqual(expect.arrayContaining([expect.stringMatching(/Ready$/)]))
  })

  it('is refused where its read-only fields were changed, and nothing is changed', async () => {
    const { data: read } = await team.call('GET', PATH)
    const other = { ...read, id: crypto.randomUUID(), shortId: 'other', createdAt: 1, updatedAt: 2, name: 'Other' }
    const refused = await team.call('PUT', PATH, other)
    expect(refused.status).toBe(400)
    expect(getPaths(refused)).toEqual(['/body/id', '/body/shortId', '/body/createdAt', '/body/updatedAt'])
    expect(refused.meta.errors[1]).toMatchObject({
      message: '"shortId" is only read: it is "lead"',
      hint: 'leave it out',
    })
    expect((await team.call('GET', PATH)).data).toEqual(read)
  })

  it('is refused if somebody else has changed it since, and as a new procedure', async () => {
    const { data: read } = await team.call('GET', PATH)
    await team.call('PUT', PATH, { ...read, name: 'Theirs' })
    expect(getPaths(await team.call('PUT', PATH, { ...read, name: 'Mine' }))).toEqual(['/body/updatedAt'])
    const copy = await team.call('PUT', '/v1/ext/procedure/copy', read)
    expect(getPaths(copy)).toEqual(['/body/id', '/body/shortId', '/body/createdAt', '/body/updatedAt'])
    expect(copy.errors[0]).toContain('the procedure is new')
  })
})
