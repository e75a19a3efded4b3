import { expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { attribute, definition } from '../support/procedures.ts'

// Some responses have all definitions of a team, and an isolate has 128 MB for all its requests.

/** Values of 900 kB. */
const values = Array.from({ length: 900 }, (_, nth) => `${nth}`.padEnd(1_000, 'x'))
const LARGE = definition({
  attributes: [attribute('lead_id', 'string'), attribute('choice', 'stringEnum', { values })],
})
const PAGE_CHARACTERS_MAX = 5_500_000

it('the definitions of a team are bounded together', async () => {
  const team = await newTeam()
  const put = (nth: number, body: object, query = '') => team.call('PUT', `/v1/ext/procedure/p${nth}${query}`, body)
  for (let nth = 0; nth < 4; nth++) expect((await put(nth, LARGE)).status).toBe(201)
  const refusal = [409, ['the definitions of a team take at most 4000000 bytes together']]
  const refused = await put(4, LARGE)
  expect([refused.status, refused.errors]).toEqual(refusal)
  const planned = await put(4, LARGE, '?dryRun=true')
  expect([planned.status, JSON.stringify(planned.data)]).toEqual([
    200,
    expect.stringContaining('at most 4000000 bytes'),
  ])
  // An existing procedure can be put again, and a small one fits.
  expect([(await put(3, LARGE)).status, (await put(4, definition())).status]).toEqual([200, 201])
  const replaced = await put(4, LARGE)
  expect([replaced.status, replaced.errors]).toEqual(refusal)
  expect((await put(3, definition())).status).toBe(200)
  expect((await put(4, LARGE)).status).toBe(200)
  const listed = await team.call('GET', '/v1/ext/procedure')
  expect(listed.data).toHaveLength(5)
  expect(JSON.stringify(listed.data).length).toBeLessThan(PAGE_CHARACTERS_MAX)
})
