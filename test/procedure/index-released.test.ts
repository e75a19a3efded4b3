import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { databaseThrough, requestWith } from '../support/broken-bindings.ts'
import { attribute, definition, newProcedure } from '../support/procedures.ts'

const PROCEDURE = '/v1/ext/procedure/lead'
const declare = (indexed: boolean, type = 'integer') =>
  definition({ attributes: [attribute('lead_id', 'string'), attribute('score', type, { indexed })] })

async function isReady(team: Team): Promise<boolean> {
  const { data } = await team.call('GET', PROCEDURE)
  return data.attributes[1].indexReady
}

it('a definition sent again builds no index that a stored value prevents, until that value is put right', async () => {
  const team = await newTeam()
  const { create, path } = await newProcedure(team, { attributes: [attribute('lead_id', 'string')] })
  const older = await create({ data: { score: 'six' } })
  const odd = await create({ data: { score: 'seven' } })
  for (let n = 0; n < 20; n++) await create({ data: { score: n } })
  await team.call('PUT', PROCEDURE, declare(true))
  expect(await isReady(team)).toBe(false)
  const dryRun = await team.call('PUT', `${PROCEDURE}?dryRun=true`, declare(true))
  expect(dryRun.data).toMatchObject({ changes: [], indexes: [] })
  const again = await team.call('PUT', PROCEDURE, declare(true))
  expect([again.status, await isReady(team)]).toEqual([200, false])
  expect(again.cost.written).toBeLessThan(10)

  // The next build finds the other one, and the definition is free again.
  await team.call('PUT', `${path}/${older.data.id}`, { data: { score: 6 } })
  for (const each of ['built', 'again']) {
    const put = await team.call('PUT', PROCEDURE, declare(true))
    expect([each, put.status, put.cost.written < 10, await isReady(team)]).toEqual([each, 200, each === 'again', false])
  }
  await team.call('PUT', `${path}/${odd.data.id}`, { data: { score: 7 } })
  await team.call('PUT', PROCEDURE, declare(true))
  expect(await isReady(team)).toBe(true)
})

it('an attribute that gets a type which its stored values fit has its index at once', async () => {
  const team = await newTeam()
  const { create } = await newProcedure(team, { attributes: [attribute('lead_id', 'string')] })
  await create({ data: { score: 'seven' } })
  await team.call('PUT', PROCEDURE, declare(true))
  expect(await isReady(team)).toBe(false)
  await team.call('PUT', PROCEDURE, declare(true, 'string'))
  expect(await isReady(team)).toBe(true)
})

it('elements of a list that is not indexed any more are removed although the procedure is emptied meanwhile', async () => {
  const team = await newTeam()
  const lists = (indexed: boolean) =>
    definition({ attributes: [attribute('lead_id', 'string'), attribute('tags', 'multiString', { indexed })] })
  const { create, path } = await newProcedure(team, { attributes: lists(true).attributes })
  const { data } = await create({ data: { tags: ['Asha', 'Pune'] } })
  const countElements = () =>
    env.DB.prepare('SELECT count(*) AS n FROM process_value WHERE team = ?').bind(team.no).first('n')
  expect(await countElements()).toBe(2)
  // The build that clears the elements breaks off after its definition is in force.
  let isWritten = false
  const broken = databaseThrough(async <T>(call: () => Promise<T>) => {
    if (isWritten) throw new Error('D1_ERROR: Network connection lost')
    const result = await call()
    isWritten = JSON.stringify(result).includes('"held":') || isWritten
    return result
  })
  const headers = { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' }
  const body = JSON.stringify(lists(false))
  expect((await requestWith({ DB: broken }, PROCEDURE, { method: 'PUT', headers, body })).status).toBe(200)
  // A list reads the definition in force, which the deletion then goes by.
  await team.call('GET', path)
  expect((await team.call('DELETE', `${path}/${data.id}`)).status).toBe(200)
  expect(await countElements()).toBe(2)
  await team.call('PUT', PROCEDURE, lists(false))
  expect(await countElements()).toBe(0)
})
