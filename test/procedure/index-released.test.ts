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
