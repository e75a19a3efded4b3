import { describe, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, listEntries } from '../support/jobs.ts'
import {
  addNumber,
  type Connected,
  failedNumber,
  newConnectedTeam,
  newNumber,
  refusedNumber,
} from '../support/provider.ts'

const NOT_REGISTERED = 133010
const MANY = 1_000

/** A plugin with two phone numbers. */
async function start() {
  const { team, whatsapp } = await newConnectedTeam()
  const other = await addNumber(team, whatsapp)
  return { team, whatsapp, other }
}

const from = (sender: string) => ({ whatsappPhoneNumberId: sender })

const entry = (whatsapp: Connected, sender: string, phoneNumber: string) => ({
  apiType: 'TEMPLATE_MESSAGE',
  apiData: { pluginId: whatsapp.id, ...from(sender), templateName: 'hello_world', phoneNumber },
})

async function accepted(harness: Harness, team: Team, entries: object[]): Promise<string> {
  const reply = await harness.request(team, 'POST', JOBS, { entries })
  expect(reply.status, JSON.stringify(reply.body)).toBe(202)
  return reply.body._data.id
}

const loadStatuses = async (team: Team, id: string): Promise<string[]> =>
  (await listEntries(team, id)).map((each: { completionStatus: string }) => each.completionStatus)

describe('an error of the provider about one phone number', () => {
  it('stops that number, and no other', async () => {
    const { team, whatsapp, other } = await start()
    const refused = await whatsapp.send(refusedNumber(NOT_REGISTERED))
    expect(refused.meta.errors).toMatchObject([{ providerCode: NOT_REGISTERED, class: 'stop-sender' }])
    expect((await team.call('GET', whatsapp.base)).data).toMatchObject({
      status: 'ACTIVE',
      stoppedPhoneNumbers: [
        { id: whatsapp.phone.id, stoppedAt: expect.any(Number), statusMessage: expect.stringContaining('133010') },
      ],
    })
    expect(await whatsapp.send(newNumber())).toMatchObject({
      status: 409,
      meta: { errors: [{ code: 'plugin_stopped', whatsappPhoneNumberId: whatsapp.phone.id }] },
    })
    expect((await whatsapp.send(newNumber(), from(other.id))).status).toBe(200)
  })

  it('may come by a provider report as well', async () => {
    const { team, whatsapp, other } = await start()
    await whatsapp.send(failedNumber(NOT_REGISTERED), from(other.id))
    await whatsapp.flush()
    const { data } = await team.call('GET', whatsapp.base)
    expect(data.stoppedPhoneNumbers).toMatchObject([{ id: other.id }])
    expect((await whatsapp.send(newNumber())).status).toBe(200)
  })

  it.each(['PUT', 'sync'])('stops it until somebody has put it right: a %s', async way => {
    const { team, whatsapp } = await start()
    await whatsapp.send(refusedNumber(NOT_REGISTERED))
    expect((await whatsapp.send(newNumber())).status).toBe(409)
    if (way === 'PUT') await team.call('PUT', whatsapp.base, { status: 'ACTIVE' })
    else await team.call('POST', `${whatsapp.base}/sync-templates`)
    expect((await whatsapp.send(newNumber())).status).toBe(200)
  })
})

it('a template has the status of the last refusal of a batch', async () => {
  const { team, whatsapp } = await start()
  const [paused, disabled] = [132015, 132016]
  const harness = new Harness()
  await accepted(
    harness,
    team,
    [refusedNumber(paused), refusedNumber(disabled)].map(to => entry(whatsapp, whatsapp.phone.id, to)),
  )
  await harness.settle(team)
  const { data } = await team.call('GET', `${whatsapp.base}/templates`)
  expect(data.find((each: { name: string }) => each.name === 'hello_world')).toMatchObject({ status: 'DISABLED' })
})

describe('a job beside a stopped number', () => {
  it('goes on with another number', async () => {
    const { team, whatsapp, other } = await start()
    await whatsapp.send(refusedNumber(NOT_REGISTERED))
    const harness = new Harness()
    const id = await accepted(
      harness,
      team,
      [newNumber(), newNumber()].map(to => entry(whatsapp, other.id, to)),
    )
    await harness.deliver()
    expect(await loadStatuses(team, id)).toEqual(['SUCCESS', 'SUCCESS'])
  })

  it('pauses, says why, and goes on once its number works again', async () => {
    const { team, whatsapp } = await start()
    const phones = [refusedNumber(NOT_REGISTERED), newNumber()]
    const harness = new Harness({ JOB_TUNING: { chunkEntries: 1 } })
    const id = await accepted(
      harness,
      team,
      phones.map(to => entry(whatsapp, whatsapp.phone.id, to)),
    )
    for (let turn = 1; turn <= 3 && harness.messages.length > 0; turn++) await harness.deliver()
    const { data } = await team.call('GET', `${JOBS}/${id}`)
    expect(data).toMatchObject({ completedAt: 0, statusMessage: expect.stringMatching(/Paused.*133010/) })
    // The cron leaves it alone as long as the number is stopped.
    await harness.runCron()
    expect(harness.messages).toEqual([])
    await whatsapp.control('PUT', '/settings', { faults: [] })
    await team.call('PUT', whatsapp.base, { status: 'ACTIVE' })
    await harness.runCron()
    await harness.runCron()
    expect(harness.messages.length).toBeGreaterThan(0)
  })

  it('sends from its other number meanwhile', async () => {
    const { team, whatsapp, other } = await start()
    await whatsapp.send(refusedNumber(NOT_REGISTERED))
    const harness = new Harness()
    const [first, second, third] = [newNumber(), newNumber(), newNumber()]
    const id = await accepted(harness, team, [
      entry(whatsapp, whatsapp.phone.id, first),
      entry(whatsapp, other.id, second),
      entry(whatsapp, other.id, third),
    ])
    await harness.deliver()
    expect(await loadStatuses(team, id)).toEqual(['NOT_STARTED', 'SUCCESS', 'SUCCESS'])
    await team.call('PUT', whatsapp.base, { status: 'ACTIVE' })
    await harness.settle(team)
    expect(await loadStatuses(team, id)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
    expect(await whatsapp.received(`to=${first}`)).toMatchObject({ received: 1, accepted: 1 })
  })

  /** A job with more entries of a stopped number than could ever be delayed one by one, and a few of the other number. */
  async function startBlocked(order: (stopped: object[], others: object[]) => object[]) {
    const { team, whatsapp, other } = await start()
    await whatsapp.send(refusedNumber(NOT_REGISTERED))
    // The emulator's clock is a real one.
    await whatsapp.control('PUT', '/settings', { faults: [], limits: { throughputPerSecond: 1_000_000 } })
    const harness = new Harness()
    const entries = (sender: string, length: number) =>
      Array.from({ length }, () => entry(whatsapp, sender, newNumber()))
    const id = await accepted(harness, team, order(entries(whatsapp.phone.id, MANY), entries(other.id, 3)))
    for (let turn = 1; turn <= 4; turn++) await harness.deliver()
    const { data, meta } = await team.call('GET', `${JOBS}/${id}`)
    expect(meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 3, NOT_STARTED: MANY })
    expect(data.statusMessage).toMatch(/^Paused: .*133010.*1,000 to go, some of them delayed$/)
    expect(harness.messages).toEqual([])
    const counts = async () => (await team.call('GET', `${JOBS}/${id}`)).meta.bjEntryCompletionStatusVsCount
    return { team, whatsapp, harness, id, counts }
  }

  it('sends the many entries of another number behind the stopped ones, and those once it works', async () => {
    const { team, whatsapp, harness, counts } = await startBlocked((stopped, others) => [...stopped, ...others])
    await team.call('PUT', whatsapp.base, { status: 'ACTIVE' })
    await harness.runCron()
    await harness.settle(team)
    expect(await counts()).toMatchObject({ SUCCESS: MANY + 3 })
    expect((await whatsapp.received()).accepted).toBe(MANY + 3)
  })

  it('sends the entries of another number among many stopped ones, and is cancelled at once', async () => {
    const { team, whatsapp, id, counts } = await startBlocked((stopped, others) => stopped.toSpliced(996, 0, ...others))
    const { data } = await team.call('POST', `${JOBS}/${id}/cancel`)
    expect(data.completedAt).toBeGreaterThan(0)
    expect(await counts()).toMatchObject({ SUCCESS: 3, CANCELLED: MANY, IN_PROGRESS: 0 })
    const { data: cancelled } = await team.call(
      'GET',
      `${JOBS}/${id}/entries?completionStatus=CANCELLED&skip=${MANY - 1}`,
    )
    expect(cancelled).toMatchObject([{ index: MANY + 2 }])
    expect((await whatsapp.received()).accepted).toBe(3)
  })
})
