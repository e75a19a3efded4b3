import { describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
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
