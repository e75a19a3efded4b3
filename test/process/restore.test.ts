import { describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { attribute, newProcedure } from '../support/procedures.ts'

const setUp = async (changes: Record<string, unknown> = {}) => {
  const team = await newTeam()
  return { team, ...(await newProcedure(team, changes)) }
}

/** Restores with something done between what the request has read and what it writes. */
async function overtaken(team: Team, path: string, meanwhile: () => Promise<unknown>) {
  let isOvertaken = false
  const before = async ({ sql }: { sql: string }) => {
    if (isOvertaken || !/INSERT INTO "?process"? /.test(sql)) return
    isOvertaken = true
    await meanwhile()
  }
  const reply = await new Harness({}, { before }).request(team, 'POST', path)
  expect(isOvertaken).toBe(true)
  return reply
}

describe('restoring a process', () => {
  it('keeps changes since it was read: restored, changed and deleted by others', async () => {
    const { team, path, create, remove, restore, update, fetch } = await setUp()
    const { data } = await create({ data: { lead_id: 'A', score: 101 } })
    await remove(data.id)
    const reply = await overtaken(team, `${path}/${data.id}/restore`, async () => {
      await restore(data.id)
      await update(data.id, { data: { score: 102 } })
      await remove(data.id)
    })
    expect(reply.status).toBe(200)
    expect(reply.body._data.data.score).toBe(102)
    expect((await fetch(data.id)).data.data.score).toBe(102)
  })

  it('is answered 404 when somebody else has restored it meanwhile', async () => {
    const { team, path, create, remove, restore } = await setUp()
    const { data } = await create({ data: { lead_id: 'A' } })
    await remove(data.id)
    const reply = await overtaken(team, `${path}/${data.id}/restore`, () => restore(data.id))
    expect(reply.status).toBe(404)
  })

  it.each([
    ['an object', { toString: 1 }],
    ['a list', ['a', 'b']],
    ['true', true],
    ['no character', ''],
    ['1,500 characters', 'x'.repeat(1_500)],
  ])('is refused where the attribute that is the primary key by now has %s', async (_, value) => {
    const { create, remove, restore, define } = await setUp({ primaryKey: null })
    const { data } = await create({ data: { code: value } })
    await remove(data.id)
    const attributes = [attribute('code', 'string')]
    expect((await define({ primaryKey: 'code', attributes })).status).toBe(200)
    const refused = await restore(data.id)
    expect(refused.status, refused.errors[0]).toBe(409)
    expect(refused.errors.join()).toMatch(/code|primary key/)
    await define({ primaryKey: null, attributes: [] })
    expect((await restore(data.id)).status).toBe(200)
  })
})
