import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { newTeam, type Team } from './support/api.ts'
import { Harness } from './support/harness.ts'
import { JOBS, LEADS, leadProcedure } from './support/jobs.ts'
import { type Connected, connected } from './support/provider.ts'
import { grown, type Size, sizesOf, table } from './support/table-sizes.ts'

// Two years of a busy team, at high speed: the Worker's own requests, jobs and chores on a clock that jumps from day to day.
// `npm run years` runs all of it, with the settings of wrangler.toml and a hundredth of the volume, and prints its tables.
// The suite runs forty days, with settings that are shorter by as much.

const DAY_MS = 24 * 60 * 60_000
const HOUR_MS = 60 * 60_000
const isFull = (env.YEARS ?? '') !== ''

/** Some days are lived through at once: their work in one, and their nights. */
const RUN = isFull
  ? { days: 720, daysPerTurn: 6, daysPerMonth: 30, keptDays: 60, settings: {} }
  : {
      days: 40,
      daysPerTurn: 1,
      daysPerMonth: 2,
      keptDays: 4,
      settings: {
        MESSAGE_RETENTION_DAYS: '12',
        TRASH_RETENTION_DAYS: '6',
        MEDIA_RETENTION_DAYS: '12',
        JOB_RETENTION_DAYS: '3',
      },
    }
const CUSTOMERS = 40
const BULK_ENTRIES = 20 * RUN.daysPerTurn
const FILE = new Uint8Array(2_000).fill(7)

interface Simulated {
  team: Team
  harness: Harness
  whatsapp: Connected
}

let phones = 0
const newPhone = () => `4917${String(++phones).padStart(8, '0')}`

/** What the team does on a day. What it has finished with it deletes after some time; its customers come back. */
async function work({ team, harness, whatsapp }: Simulated, day: number): Promise<void> {
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
  await harness.env.MEDIA.put(`${team.id}/${Date.now()}`, FILE)
  await harness.settle(team)
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
    await harness.sweep()
    for (let round = 0; round < 50 && harness.messages.length > 0; round++) await harness.deliver()
  }
}

it(
  `no table grows without end: ${RUN.days} days of a busy team`,
  async () => {
    const team = await newTeam()
    await leadProcedure(team)
    const simulated = { team, whatsapp: await connected(team), harness: new Harness(RUN.settings) }
    Object.assign(simulated.harness.env, { MEDIA: onVirtualTime(env.MEDIA) })
    vi.useFakeTimers({ toFake: ['Date'] })
    const startedAt = Date.now()
    const months: Size[][] = []
    for (let day = 0; day < RUN.days; day += RUN.daysPerTurn) {
      vi.setSystemTime(startedAt + day * DAY_MS)
      await work(simulated, day)
      await night(simulated)
      // It would hold every statement of two years.
      simulated.harness.log.length = 0
      if ((day + RUN.daysPerTurn) % RUN.daysPerMonth === 0) months.push(await sizesOf())
    }
    vi.useRealTimers()
    if (isFull) console.log(table(months))
    expect(months.length).toBeGreaterThan(18)
    expect(months.at(-1)?.find(({ name }) => name === 'message')?.rows).toBeGreaterThan(20)
    expect(grown(months), table(months)).toEqual([])
  },
  isFull ? 600_000 : 120_000,
)
