import { expect, it } from 'vitest'
import { ROOT_FIELDS } from '../../src/procedure/model.ts'
import { FIELDS, type FieldKind, QUERIED_FIELDS, type ShownField, WRITABLE_FIELDS } from '../../src/process/fields.ts'
import { newTeam } from '../support/api.ts'
import { newProcedure } from '../support/procedures.ts'

/** Two values of each kind, as a caller sends them. */
const VALUES: Record<Exclude<FieldKind, 'id' | 'record'>, readonly [unknown, unknown]> = {
  status: ['OPEN', 'CANCELLED'],
  state: ['BUSY', 'WON'],
  user: ['admin', 'meera'],
  time: [1_800_000_000_000, 1_800_000_000_001],
  number: [1, 2],
  text: ['a', 'b'],
}
const HAS_ORDER: FieldKind[] = ['time', 'number']

const setUp = async () => {
  const team = await newTeam()
  const meera = await team.call('POST', '/v1/ext/user', { username: 'meera', role: 'agent' })
  const shown = (value: unknown) => (value === 'admin' ? team.admin : value === 'meera' ? meera.data.id : value)
  const processes = await newProcedure(team, { primaryKey: null, attributes: [] })
  const list = async (body: object) => {
    const reply = await team.call('POST', `${processes.path}/list`, body)
    expect(reply.errors).toEqual([])
    return reply.data.map(({ id }: { id: string }) => id)
  }
  return { team, shown, list, ...processes }
}

it.each(WRITABLE_FIELDS)(
  '%s goes through create, update, filter, sort, delete and restore as it is declared',
  async name => {
    const { kind, column } = FIELDS[name]
    const [first, second] = VALUES[kind]
    const { create, update, fetch, remove, restore, shown, list } = await setUp()
    const one = await create({ [name]: first })
    const two = await create({ [name]: second })
    expect([one.data[name], two.data[name]]).toEqual([shown(first), shown(second)])
    const found = (value: unknown) => list({ where: { [name]: value } })
    expect(await found(first)).toEqual([one.data.id])
    expect(await found([first, second])).toEqual([two.data.id, one.data.id])

    const changed = await update(one.data.id, { [name]: second })
    expect(changed.data[name]).toBe(shown(second))
    expect(await found(second)).toEqual([two.data.id, one.data.id])
    if (!column.notNull) {
      expect((await update(one.data.id, { [name]: null })).data[name]).toBeNull()
      expect(await found(null)).toEqual([one.data.id])
    }
    const before = await update(one.data.id, { [name]: first })
    expect((await update(one.data.id, {})).data[name]).toBe(shown(first))
    if (HAS_ORDER.includes(kind)) expect(await found({ '>': first })).toEqual([two.data.id])

    const listInOrder = (order: string) => list({ sort: [{ field: name, order }] })
    expect((await listInOrder('asc')).reverse()).toEqual(await listInOrder('desc'))
    await remove(one.data.id)
    expect((await restore(one.data.id)).data).toMatchObject({ [name]: before.data[name] })
    expect((await fetch(one.data.id)).data[name]).toBe(shown(first))
  },
)

it.each([...QUERIED_FIELDS, 'createdAt' as const])('%s can be sorted by, and is reserved', async name => {
  const { create, list, define } = await setUp()
  const { data } = await create()
  expect(await list({ sort: [{ field: name }] })).toEqual([data.id])
  expect(ROOT_FIELDS).toContain(name)
  const refused = await define({ attributes: [{ shortId: name, type: 'string' }], primaryKey: null })
  expect(refused.status).toBe(400)
})

it('the document shows the fields that a response has', async () => {
  const { create } = await setUp()
  const { data } = await create()
  const names = Object.keys(FIELDS) as (keyof typeof FIELDS)[]
  const isShown = (name: keyof typeof FIELDS): name is ShownField => FIELDS[name].shown
  expect(Object.keys(data)).toEqual(expect.arrayContaining(names.filter(isShown)))
  for (const name of names.filter(each => !isShown(each))) expect(data).not.toHaveProperty(name)
})

const HARD_TEXT = '","record":null} "id": ~7e \\ \u2028 ☃ 𝒳'

it.each([
  ['nothing but what it must have', {}],
  ['a customer', { record: { data: { phone: '919999000001', [HARD_TEXT]: HARD_TEXT } } }],
  ['every field', { status: 'CANCELLED', state: 'BUSY', nextActionAt: 1_800_000_000_000, assignedTo: 'admin' }],
  ['names and values that look like its text', { data: { [HARD_TEXT]: [HARD_TEXT], '~7e': '~7e', '': { '~': '"' } } }],
  ['numbers of every kind', { data: { a: 1e21, b: 0.1, c: -0, d: 5e-324, e: 123456789012345, f: 1.0 } }],
])('a process is the same in a list as by itself: %s', async (_, body) => {
  const { team, create, fetch, path, define } = await setUp()
  await define({ primaryKey: 'key', attributes: [{ shortId: 'key', type: 'string' }] })
  const { data } = await create({ ...body, data: { ...('data' in body ? body.data : {}), key: HARD_TEXT } })
  const alone = JSON.stringify((await fetch(data.id)).data)
  const sorts = [[], [{ field: 'updatedAt' }], [{ field: 'key' }], [{ field: 'state' }]]
  for (const sort of sorts) {
    const listed = await team.call('POST', `${path}/list`, { sort })
    expect(listed.data.map((each: unknown) => JSON.stringify(each))).toEqual([alone])
  }
})
