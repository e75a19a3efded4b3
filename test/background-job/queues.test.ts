import { beforeAll, describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, LEADS, leadProcedure } from '../support/jobs.ts'
import { type Connected, connectPlugin, newNumber } from '../support/provider.ts'

let team: Team
let whatsapp: Connected
beforeAll(async () => {
  team = await newTeam()
  await leadProcedure(team)
  whatsapp = await connectPlugin(team)
})

const messageEntry = () => whatsapp.entry(newNumber())
const processEntry = {
  apiType: 'PROCESS_CREATE',
  apiData: { procedureId: 'lead', processCreate: { data: { city: 'Pune' } } },
}

/** Lists the queues of a job's messages, from its acceptance to its end, including those of the cron. */
async function queuesOfJob(entries: object[]): Promise<string[]> {
  const harness = new Harness({ JOB_TUNING: { chunkEntries: 1, sliceChunks: 1 } })
  const { status } = await harness.request(team, 'POST', JOBS, { entries })
  expect(status).toBe(202)
  const seen = harness.messages.map(({ queue }) => queue)
  // The first message is lost: the cron sends another one.
  harness.messages = []
  await harness.runCron(Date.now() + 120_000)
  const listMessages = () => harness.messages.filter(({ body }) => (body as { team: number }).team === team.no)
  for (harness.messages = listMessages(); harness.messages.length > 0; await harness.deliver())
    seen.push(...harness.messages.map(({ queue }) => queue))
  return seen
}

describe('the messages of a job', () => {
  it('go to the queue of the kind of its entries, whoever sends them', async () => {
    expect(await queuesOfJob([messageEntry(), messageEntry()])).toEqual(['sends', 'sends', 'sends'])
    expect(await queuesOfJob([processEntry, processEntry])).toEqual(['jobs-small', 'jobs-small', 'jobs-small'])
  })

  it('go to that queue also where only some of the entries are of such a kind', async () => {
    expect(new Set(await queuesOfJob([processEntry, messageEntry()]))).toEqual(new Set(['sends']))
  })

  it('go to that queue for a bulk request and for a retry', async () => {
    const harness = new Harness()
    await team.call('POST', LEADS, { data: { lead_id: 'A' } })
    const path = `${whatsapp.base}/process/lead/bulk-send-template-message`
    const body = {
      whatsappPhoneNumberId: whatsapp.phone.id,
      templateName: 'hello_world',
      processes: [{ lead_id: 'A' }],
    }
    const accepted = await harness.request(team, 'POST', path, body)
    expect(harness.messages.map(({ queue }) => queue)).toEqual(['sends'])
    await harness.settle(team)
    // The process has no phone number.
    await harness.request(team, 'POST', `${JOBS}/${accepted.body._data.id}/retry`)
    expect(harness.messages.map(({ queue }) => queue)).toEqual(['sends'])
  })
})

describe('a dead letter', () => {
  it.each(['jobs-dead', 'caseworker-acme-jobs-dead'])(
    'runs one entry, from %s, whatever the installation is called',
    async queue => {
      const harness = new Harness()
      const { body } = await harness.request(team, 'POST', JOBS, {
        entries: [processEntry, processEntry, processEntry],
      })
      harness.messages = harness.messages.map(message => ({ ...message, queue }))
      await harness.deliver()
      const { meta } = await team.call('GET', `${JOBS}/${body._data.id}`)
      expect(meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 1, NOT_STARTED: 2 })
      await harness.settle(team)
    },
  )
})
