import { describe, expect, it } from 'vitest'
import { fetchWorker, newTeam, type Team } from '../support/api.ts'
import { createLead, eraseEverywhere, personalTeam, somePerson, untilErased, word } from '../support/erasing.ts'
import { JOBS, LEADS, leadProcedure, listEntries, waitForJob } from '../support/jobs.ts'
import { attribute } from '../support/procedures.ts'
import { tablesWith } from '../support/tables-with.ts'

const start = async (): Promise<Team> => {
  const team = await newTeam()
  const source = { ...attribute('source', 'stringEnum'), values: ['web', 'shop'] }
  await leadProcedure(team, { attributes: [attribute('lead_id', 'string'), attribute('score', 'integer'), source] })
  return team
}

async function run(team: Team, path: string, method: 'POST' | 'PATCH', processes: object[]): Promise<string> {
  const reply = await team.call(method, path, { processes })
  await waitForJob(team, reply.data.id)
  return reply.data.id
}

const readMessages = async (team: Team, job: string): Promise<string[]> =>
  (await listEntries(team, job)).map((each: { completionMessage: string }) => each.completionMessage)

it('an entry with many faults names each of them, and quotes as many values as there is room for', async () => {
  const team = await newTeam()
  const names = Array.from({ length: 9 }, (_, nth) => `score_${nth}`)
  await leadProcedure(team, {
    attributes: [attribute('lead_id', 'string'), ...names.map(name => attribute(name, 'integer'))],
  })
  const data = Object.fromEntries(names.map(name => [name, 'long '.repeat(20)]))
  const [entry] = await listEntries(team, await run(team, `${LEADS}/bulk-create`, 'POST', [{ lead_id: 'A', data }]))
  const errors: { path: string; message: string }[] = entry.validationResult.errors
  expect(errors.map(({ path }) => path)).toEqual(names.map(name => `/body/data/${name}`))
  expect(errors[0]?.message).toMatch(/must be a number, not "long long/)
  expect(errors[8]?.message).not.toMatch(/, not "long/)
})

it.each([7, 9])(
  'an entry with %i faults names each of them, and has as many hints as there is room for',
  async count => {
    const team = await newTeam()
    const names = Array.from({ length: count }, (_, nth) => `score_${nth}`)
    await leadProcedure(team, {
      attributes: [attribute('lead_id', 'string'), ...names.map(name => attribute(name, 'integer'))],
    })
    const data = Object.fromEntries(names.map(name => [name, '1E+11']))
    const [entry] = await listEntries(team, await run(team, `${LEADS}/bulk-create`, 'POST', [{ lead_id: 'A', data }]))
    const { message, errors } = entry.validationResult
    expect(errors.map(({ path }: { path: string }) => path)).toEqual(names.map(name => `/body/data/${name}`))
    expect(errors[0]?.hint === undefined).toBe(count === 9)
    expect(errors.at(-1)).not.toHaveProperty('hint')
    expect(message).toMatch(/^"score_0" must be a number without an exponent.*; "score_1" must be/)
    expect(new TextEncoder().encode(JSON.stringify(entry.validationResult)).length).toBeLessThanOrEqual(1_500)
  },
)

it.each(['NaN', 'Infinity', '-Infinity'])('a cell %s is no number, and the value of before stays', async cell => {
  const team = await start()
  await team.call('POST', LEADS, { data: { lead_id: 'A', score: 7 } })
  const headers = { authorization: `Bearer ${team.token}`, 'content-type': 'text/csv' }
  const reply = await fetchWorker(LEADS, { method: 'PATCH', headers, body: `lead_id,score\nA,${cell}\n` })
  const { _data: job } = await reply.json<{ _data: { id: string } }>()
  await waitForJob(team, job.id)
  expect(await readMessages(team, job.id)).toEqual([`"score" must be a number, not "${cell}"`])
  expect((await team.call('GET', `${LEADS}/lead_id/A`)).data.data.score).toBe(7)
})

it('a number beyond all numbers is none, and the value of before stays', async () => {
  const team = await start()
  await team.call('POST', LEADS, { data: { lead_id: 'A', score: 7 } })
  const send = async (type: string, body: string) => {
    const headers = { authorization: `Bearer ${team.token}`, 'content-type': type }
    const reply = await fetchWorker(LEADS, { method: 'PATCH', headers, body })
    return reply.json<{ _data: { id: string }; _errors: string[] }>()
  }
  const refused = await send('application/json', '[{"lead_id": "A", "update": {"data": {"score": 1e999}}}]')
  expect(refused._errors).toEqual(['in the value at byte 1, the number is too large (/body/update/data/score)'])
  const accepted = await send('application/x-ndjson', '{"lead_id": "A", "update": {"data": {"score": -1e999}}}\n')
  await waitForJob(team, accepted._data.id)
  expect(await readMessages(team, accepted._data.id)).toEqual(['line 1: the number is too large (/update/data/score)'])
  expect((await team.call('GET', `${LEADS}/lead_id/A`)).data.data.score).toBe(7)
})

describe('what is said of an entry', () => {
  it.each([
    ['POST', `${LEADS}/bulk-create`],
    ['POST', `${LEADS}/bulk-upsert`],
    ['PATCH', LEADS],
  ] as const)('quotes the value that was refused: %s %s', async (method, path) => {
    const team = await start()
    await team.call('POST', LEADS, { data: { lead_id: 'A' } })
    const wrap = (key: string, fields: object) =>
      method === 'POST' ? { lead_id: key, ...fields } : { lead_id: 'A', update: fields }
    const job = await run(team, path, method, [
      wrap('B', { data: { score: 'many' } }),
      wrap('C', { data: { source: 'boat' } }),
      wrap('D', { data: { score: 1 }, status: 'DONE' }),
      wrap('E', { data: { score: `${'long '.repeat(20)}\u202eend` } }),
    ])
    expect(await readMessages(team, job)).toEqual([
      '"score" must be a number, not "many"',
      '"source" must be one of web, shop, not "boat"',
      '"status" must be one of CANCELLED, COMPLETED, OPEN, not "DONE"',
      `"score" must be a number, not "${'long '.repeat(12)}…"`,
    ])
    const groups = await team.call('GET', `${JOBS}/${job}/errors`)
    expect(groups.data[0]).toMatchObject({ message: '"score" must be a number, not …', count: 2 })
  })

  it('is said without it to whoever sends one, and to the log of requests', async () => {
    const team = await start()
    const reply = await team.call('POST', LEADS, { data: { lead_id: 'A', score: 'many' } })
    expect(reply.errors).toEqual(['"score" must be a number'])
    expect(JSON.stringify(reply.meta)).not.toContain('many')
    const logged = await team.call('GET', `/v1/ext/request/${reply.meta.requestId}`)
    expect(JSON.stringify(logged.data)).not.toContain('many')
  })

  it('goes with the customer who is erased', async () => {
    const team = await personalTeam()
    const lead = await createLead(team, { lead_id: 'A', ...somePerson() })
    const number = word('Asha')
    const job = await run(team, LEADS, 'PATCH', [{ lead_id: 'A', update: { data: { phone_number: number } } }])
    expect(await readMessages(team, job)).toEqual([`"phone_number" must be a phone number, not "${number}"`])
    await eraseEverywhere(team, lead.record.id)
    await untilErased(team, lead.record.id)
    expect(await tablesWith(number)).toEqual([])
    expect(await readMessages(team, job)).toEqual([''])
  })
})
