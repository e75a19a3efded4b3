import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { DAY_MS, HOUR_MS } from '../src/time-units.ts'
import type { Team } from './support/api.ts'
import { byCookie, getCookie, OWN_PAGE, postSignIn } from './support/browser-session.ts'
import { switchFeed } from './support/feed.ts'
import { Harness } from './support/harness.ts'
import { JOBS, LEADS, leadProcedure } from './support/jobs.ts'
import { makeLoggedRequest } from './support/logged-request.ts'
import { type Connected, connectPlugin } from './support/provider.ts'
import { connectReceivers, newReceiver } from './support/receiver.ts'
import { listGrown, measureTables, type Size, table } from './support/table-sizes.ts'
import { deliverUntil, newQuietTeam, newWebhook } from './support/webhooks.ts'

// Two years of a busy team, at high speed: the Worker's own requests, jobs and maintenance tasks on a clock that jumps from day to day.
// `npm run years` runs all of it, with the settings of wrangler.toml and a hundredth of the volume, and prints its tables.
// The suite runs twenty-four days, with settings that are shorter by as much.

const isFull = (env.YEARS ?? '') !== ''

/** Several days are simulated at once: their work in one, and their nights. */
const RUN = isFull
  ? { days: 720, daysPerTurn: 6, daysPerMonth: 30, keptDays: 60, settings: { REQUEST_RETENTION_DAYS: '7' } }
  : {
      days: 24,
      daysPerTurn: 1,
      daysPerMonth: 1,
      keptDays: 3,
      settings: {
        MESSAGE_RETENTION_DAYS: '7',
        TRASH_RETENTION_DAYS: '4',
        MEDIA_RETENTION_DAYS: '7',
        JOB_RETENTION_DAYS: '2',
        HISTORY_RETENTION_DAYS: '5',
        EVENT_RETENTION_DAYS: '2',
        REQUEST_RETENTION_DAYS: '3',
      },
    }
const CUSTOMERS = 40
const BULK_ENTRIES = 20 * RUN.daysPerTurn
const FILE = new Uint8Array(2_000).fill(7)

interface Simulated {
  team: Team
  harness: Harness
  whatsapp: Connected
  /** Told of all events. */
  webhook: string
}

let phones = 0
const newPhone = () => `4917${String(++phones).padStart(8, '0')}`

/** Does a day's work of the team. Finished objects are deleted after some time; its customers come back. */
async function work({ team, harness, whatsapp, webhook }: Simulated, day: number): Promise<void> {
  const call = async (method: string, path: string, body?: unknown, expected = [200, 201, 202]) => {
    const reply = await harness.request(team, method, path, body, { 'idempotency-key': crypto.randomUUID() })
    expect(expected, `${method} ${path}: ${JSON.stringify(reply.body._errors)}`).toContain(reply.status)
    return reply.body._data
  }
  for (const nth of [1, 2]) {
    const record = { data: { phone_number: `4918${String((day * 2 + nth) % CUSTOMERS).padStart(8, '0')}` } }
    await call('POST', LEADS, { data: { lead_id: `S${day}-${nth}`, city: 'Pune', score: nth }, record })
    await call('PUT', `${LEADS}/lead_id/S${day}-${nth}`, { data: { score: day } })
  }
  const items = Array.from({ length: BULK_ENTRIES }, (_, nth) => ({ data: { lead_id: `B${day}-${nth}`, city: 'Ulm' } }))
  await call('POST', `${LEADS}/bulk-create`, [...items, { data: { lead_id: `B${day}-0` } }])
  const old = day - RUN.keptDays
  if (old >= 0 && old % RUN.daysPerTurn === 0) {
    const names = [...items.map((_, nth) => `B${old}-${nth}`), `S${old}-1`]
    await call('PATCH', LEADS, { processes: names.map(lead_id => ({ lead_id, update: { isDeleted: true } })) })
    await harness.settle(team)
    await call('DELETE', `${LEADS}/lead_id/S${old}-2`)
  }
  await call('POST', `${whatsapp.base}/phoneNumber/${newPhone()}/send-template-message`, {
    whatsappPhoneNumberId: whatsapp.phone.id,
    templateName: 'hello_world',
  })
  const message = { pluginId: whatsapp.id, whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const entries = Array.from({ length: 3 * RUN.daysPerTurn }, () => ({
    apiType: 'TEMPLATE_MESSAGE',
    apiData: { ...message, phoneNumber: newPhone() },
  }))
  await call('POST', JOBS, { entries })
  const WEBHOOKS = '/v1/ext/webhook'
  const { id: removed } = await call('POST', WEBHOOKS, { url: 'https://www.example.com/removed' })
  await call('DELETE', `${WEBHOOKS}/${removed}`)
  const [{ sequence = 1 } = {}] = await call('GET', '/v1/ext/event?limit=1')
  await call('POST', `${WEBHOOKS}/${webhook}/replay`, { from: sequence, to: sequence })
  await visit({ team, call })
  await harness.env.MEDIA.put(`${team.id}/${Date.now()}`, FILE)
  await harness.settle(team)
}

type Call = (method: string, path: string, body?: unknown) => Promise<{ id: string; url: string }>

/** Leaves what people in the browser leave: a session, an unused link, views, a failed request. */
async function visit({ team, call }: { team: Team; call: Call }): Promise<void> {
  const link = `/v1/ext/user/${team.admin}/sign-in-link`
  await call('POST', link)
  const { url } = await call('POST', link)
  const signedIn = await postSignIn({ link: url.split('#')[1] }, OWN_PAGE)
  expect(signedIn.status).toBe(201)
  const browser = byCookie(getCookie(signedIn))
  const view = await browser('POST', '/v1/ext/saved-view', { procedure: 'lead', name: `${Date.now()}`, query: {} })
  expect(view.errors).toEqual([])
  expect((await browser('DELETE', `/v1/ext/saved-view/${view.data.id}`)).status).toBe(200)
  await makeLoggedRequest(team)
}

/** R2 knows only the real time: here a file was uploaded at the time that its key says. */
const onVirtualTime = (bucket: R2Bucket) => ({
  put: (key: string, bytes: Uint8Array) => bucket.put(key, bytes),
  delete: (keys: string[]) => bucket.delete(keys),
  async list(options: R2ListOptions) {
    const { objects, ...listed } = await bucket.list(options)
    return { ...listed, objects: objects.map(({ key }) => ({ key, uploaded: new Date(Number(key.split('/')[1])) })) }
  },
})

/** The cron of a day: some of its minutes, and what goes on by queue messages. */
async function night({ harness }: Simulated): Promise<void> {
  for (const hours of [6, 6, 11]) {
    vi.setSystemTime(Date.now() + hours * HOUR_MS)
    await harness.runCron()
    for (let round = 0; round < 50 && harness.messages.length > 0; round++) await harness.deliver()
    await deliverUntil(harness, Date.now())
  }
}

it(
  `no table grows without end: ${RUN.days} days of a busy team`,
  async () => {
    connectReceivers()
    const team = await newQuietTeam()
    await leadProcedure(team)
    await switchFeed(team)
    const receiver = newReceiver()
    const webhook = await newWebhook(team, receiver)
    const simulated = { team, webhook, whatsapp: await connectPlugin(team), harness: new Harness(RUN.settings) }
    Object.assign(simulated.harness.env, { MEDIA: onVirtualTime(env.MEDIA) })
    vi.useFakeTimers({ toFake: ['Date'] })
    const startedAt = Date.now()
    const months: Size[][] = []
    for (let day = 0; day < RUN.days; day += RUN.daysPerTurn) {
      vi.setSystemTime(startedAt + day * DAY_MS)
      await work(simulated, day)
      await night(simulated)
      // The log would hold every statement of two years.
      simulated.harness.log.length = 0
      receiver.arrivals.length = 0
      if ((day + RUN.daysPerTurn) % RUN.daysPerMonth === 0) months.push(await measureTables())
    }
    vi.useRealTimers()
    if (isFull) console.log(table(months))
    expect(months.length).toBeGreaterThan(18)
    expect(months.at(-1)?.find(({ name }) => name === 'message')?.rows).toBeGreaterThan(20)
    expect(months.at(-1)?.find(({ name }) => name === 'webhook_delivery')?.rows).toBeGreaterThan(20)
    expect(months.at(-1)?.find(({ name }) => name === 'request_batch')?.rows).toBeGreaterThan(2)
    expect(months.at(-1)?.find(({ name }) => name === 'session')?.rows).toBeGreaterThan(3)
    expect(
      listGrown(months).filter(each => !each.startsWith('usage_day:')),
      table(months),
    ).toEqual([])
    // The figures of a day are kept for three years: one small row for each team and day.
    expect(months.at(-1)?.find(({ name }) => name === 'usage_day')?.rows).toBeLessThanOrEqual(RUN.days)
  },
  isFull ? 1_200_000 : 300_000,
)
