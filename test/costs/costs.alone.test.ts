/// <reference types="vite/types/importMeta.d.ts" />
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import costs from '../../src/docs/guides/costs.md?raw'
import { PRICES } from '../../src/usage/prices.ts'
import { newTeam, type Team } from '../support/api.ts'
import { deliveryCost } from '../support/delivery-cost.ts'
import type { Harness } from '../support/harness.ts'
import { JOBS } from '../support/jobs.ts'
import { moveLog } from '../support/moved-log.ts'
import { attribute, definition } from '../support/procedures.ts'
import { connectPlugin, newNumber, signBody } from '../support/provider.ts'
import { timelessHarness } from '../support/timeless.ts'
import { addUp, times, toDollars, type Work } from './prices.ts'
import { TEAMS, type Unit } from './teams.ts'

// The cost of a month is measured here, one unit after the other, and compared with the guide.

const CALLS = 20
const ENTRIES = 1_000
const MESSAGES = 120
const LEADS = '/v1/ext/procedure/lead/process'
/** Measured with `npm run bench`, and said high. */
const CPU_MS = { call: 2, entry: 0.15, message: 1.5, webhook: 0.5 }
/** A receiver answers within 100 ms; one of many events shares them with four others. */
const OBJECT_SECONDS = { delivery: 0.15, deliveryOfMany: 0.02 }
const EVENTS = 1_000
const SHOWN_SHARE = Number(env.LOG_SUCCESS_PERCENT_SHIPPED) / 100
const MILLION = 1_000_000
const [MONTHS_KEPT, MESSAGE_MONTHS] = [12, Number(env.MESSAGE_RETENTION_DAYS) / 30]
/** The bytes in the database for one of each, with its indexes; `measureTables` measures them. */
const bytes = { process: 0, message: 0, change: 0, changeOfJob: 0 }
/**
 * The log stays in the database for the retention of the feed and five days more, or while an object waits for it, a
 * month at most.
 */
const RECENT_MONTHS = (Number(env.EVENT_RETENTION_DAYS) + 5) / 30
const OBJECT_BYTES = 4_000_000
/** Values that are made up look alike: what is measured is no more than a hint. */
const COMPRESSED_SHARE = 0.25
const measured = { compressedShare: 0 }
const units = {} as Record<Unit, Work>

const twelve = Array.from({ length: 12 }, (_, nth) => attribute(`a${nth}`, 'string', { indexed: nth < 3 }))
const values = (nth: number) => Object.fromEntries(twelve.map(({ shortId }) => [shortId, `value ${nth} of ${shortId}`]))

let team: Team
let counter = 0
const key = () => `K${++counter}`
const keyed = () => ({ 'idempotency-key': crypto.randomUUID() })

async function sizeOfDatabase(): Promise<number> {
  const { meta } = await env.DB.prepare('SELECT 1').all()
  return meta.size_after
}

/** Measures the bytes of one change in the log, alone or with the others of a job's step. */
const sizeOfChange = async (together: boolean): Promise<number> =>
  (await env.DB.prepare(
    `SELECT sum(length(type) + length("by") + length(after) + coalesce(length(before), 0) + 40) / sum(count) AS bytes
      FROM event WHERE type = 'process.updated' AND (count > 1) = ?`,
  )
    .bind(Number(together))
    .first<number>('bytes')) ?? 0

/** Measures the entries of the newest job, which is the one that sends. */
const sizeOfEntries = async (): Promise<number> =>
  (await env.DB.prepare(
    `SELECT (SELECT sum(octet_length(entries)) FROM job_chunk WHERE team = ?1 AND job = last.no)
      + (SELECT sum(octet_length(outcomes)) FROM job_outcome WHERE team = ?1 AND job = last.no) AS bytes
      FROM (SELECT max(no) AS no FROM background_job WHERE team = ?1) last`,
  )
    .bind(team.no)
    .first<number>('bytes')) ?? 0

/** Measures the log's size in objects. */
async function measureCompression(): Promise<void> {
  const size = 'SELECT sum(octet_length(after) + ifnull(octet_length(before), 0)) FROM event WHERE team = ?'
  const whole = await env.DB.prepare(size).bind(team.no).raw<[number]>()
  await moveLog(team, 0)
  const rest = await env.DB.prepare(size).bind(team.no).raw<[number]>()
  const stored = await env.DB.prepare('SELECT sum(bytes) FROM event_object WHERE team = ?')
    .bind(team.no)
    .raw<[number]>()
  measured.compressedShare = (stored[0]?.[0] ?? 0) / ((whole[0]?.[0] ?? 0) - (rest[0]?.[0] ?? 0))
}

/** Measures the work of database, queues and objects for one of `count`, on average. */
async function measure(count: number, act: (harness: Harness) => Promise<void>, vars = {}): Promise<Work> {
  const harness = timelessHarness(vars)
  await act(harness)
  const { calls, rows } = harness
  return {
    rowRead: rows.read / count,
    rowWritten: rows.written / count,
    queueMessage: calls.queue / count,
    // The number of messages in one call of a sender depends on how quickly the others answer.
    objectCall: Math.round((20 * (calls.object + calls.limiter + calls.sender)) / count) / 20,
  }
}

const isCall = (work: Work): Work => ({ ...work, request: 1, cpuMs: CPU_MS.call, logLine: SHOWN_SHARE })

const calls = (act: (harness: Harness, nth: number) => Promise<{ status: number }>): Promise<Work> =>
  measure(CALLS, async harness => {
    for (let nth = 0; nth < CALLS; nth++) expect((await act(harness, nth)).status).toBeLessThan(300)
  }).then(isCall)

const entries = (body: unknown, method: string, path: string): Promise<Work> =>
  measure(ENTRIES, async harness => {
    expect((await harness.request(team, method, path, body)).status).toBe(202)
    await harness.settle(team)
  }).then(work => ({ ...work, cpuMs: CPU_MS.entry }))

beforeAll(async () => {
  team = await newTeam()
  const lead = definition({ attributes: [attribute('lead_id', 'string'), ...twelve] })
  expect((await team.call('PUT', '/v1/ext/procedure/lead', lead)).errors).toEqual([])
  const customer = () => ({ record: { data: { phone: newNumber(), name: 'Somebody' } } })
  const made = await team.call('POST', LEADS, { data: { lead_id: key(), ...values(0) } })
  const one = `${LEADS}/${made.data.id}`
  const create = (more: () => object, headers: () => Record<string, string>) =>
    calls((harness, nth) =>
      harness.request(team, 'POST', LEADS, { data: { lead_id: key(), ...values(nth) }, ...more() }, headers()),
    )
  const update = (headers: () => Record<string, string>) =>
    calls((harness, nth) =>
      harness.request(team, 'PUT', one, { data: { a0: `changed ${++counter}`, a5: `changed ${nth}` } }, headers()),
    )
  units.create = await create(
    () => ({}),
    () => ({}),
  )
  units.keyedCreate = await create(customer, keyed)
  units.update = await update(() => ({}))
  units.keyedUpdate = await update(keyed)
  units.fetch = await calls(harness => harness.request(team, 'GET', one))
  units.list = await calls(harness => harness.request(team, 'POST', `${LEADS}/list`, { limit: 10 }))

  const before = await sizeOfDatabase()
  const items = Array.from({ length: ENTRIES }, (_, nth) => ({ lead_id: `E${nth}`, data: values(nth) }))
  units.createdEntry = await entries(items, 'POST', `${LEADS}/bulk-create`)
  const changes = items.map(({ lead_id }, nth) => ({ lead_id, update: { data: { a0: `other ${nth}`, a5: 'x' } } }))
  const withProcesses = await sizeOfDatabase()
  units.updatedEntry = await entries({ processes: changes }, 'PATCH', LEADS)
  bytes.process = (withProcesses - before) / ENTRIES
  bytes.change = await sizeOfChange(false)
  bytes.changeOfJob = await sizeOfChange(true)
  await measureCompression()

  const whatsapp = await connectPlugin(team, { settings: { limits: { throughputPerSecond: 1_000 } } })
  const template = { pluginId: whatsapp.id, whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
  const path = () => `${whatsapp.base}/phoneNumber/${newNumber()}/send-template-message`
  units.message = await calls(harness =>
    harness.request(
      team,
      'POST',
      path(),
      { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' },
      keyed(),
    ),
  )
  const sizeBefore = await sizeOfDatabase()
  units.sentEntry = await measure(
    MESSAGES,
    async harness => {
      const list = Array.from({ length: MESSAGES }, () => ({
        apiType: 'TEMPLATE_MESSAGE',
        apiData: { ...template, phoneNumber: newNumber() },
      }))
      expect((await harness.request(team, 'POST', JOBS, { entries: list })).status).toBe(202)
      await harness.settle(team)
    },
    { WHATSAPP_MESSAGES_PER_SECOND: '1000' },
  ).then(work => ({ ...work, cpuMs: CPU_MS.message }))

  const { data: sent } = await whatsapp.received()
  const some = sent.slice(0, MESSAGES)
  const report = async (harness: Harness, messages: typeof sent, told: { status: string; timestamp: string }) => {
    const statuses = messages.map(({ callbackData, messageId }) => ({
      id: messageId,
      ...told,
      biz_opaque_callback_data: callbackData,
    }))
    const value = { metadata: { phone_number_id: whatsapp.phone.id }, statuses }
    const body = { object: 'whatsapp_business_account', entry: [{ changes: [{ field: 'messages', value }] }] }
    const signature = await signBody(whatsapp.secrets.appSecret, JSON.stringify(body))
    const headers = { 'x-hub-signature-256': signature }
    expect((await harness.request(team, 'POST', whatsapp.webhookPath, body, headers)).status).toBe(200)
  }
  // What it has in the end: three statuses were told of each. The entries of the job go to R2.
  for (const status of ['sent', 'delivered', 'read']) {
    const reports = timelessHarness()
    await report(reports, some, { status, timestamp: '1800000000' })
    await reports.settle(team)
  }
  bytes.message = ((await sizeOfDatabase()) - sizeBefore - (await sizeOfEntries())) / MESSAGES
  units.statusWebhook = await measure(MESSAGES, async harness => {
    for (const each of some) await report(harness, [each], { status: 'delivered', timestamp: '1800000001' })
    await harness.settle(team)
  }).then(work => ({ ...work, request: 1, cpuMs: CPU_MS.webhook, logLine: SHOWN_SHARE }))

  vi.restoreAllMocks()
  // Last: it moves the clock. The objects are the team's, which hears of the commit, and the endpoint's, woken and by its alarm.
  const alone = await deliveryCost({ events: 1 })
  const many = await deliveryCost({ events: EVENTS, byJob: true })
  const isDelivery = ({ cost: { read, written } }: typeof alone): Work => ({ rowRead: read, rowWritten: written })
  const setAlarm: Work = { rowWritten: 1 }
  // Every second row holds attempts, and is removed after a month.
  const removed = ({ cost }: typeof alone): Work => ({ rowWritten: cost.written / 2 })
  units.delivery = addUp([
    ...[isDelivery(alone), removed(alone), setAlarm],
    { objectCall: 3, objectSecond: OBJECT_SECONDS.delivery },
  ])
  units.deliveryOfMany = addUp([...[isDelivery(many), removed(many)], { objectSecond: OBJECT_SECONDS.deliveryOfMany }])

  // A row that is written once is removed once: the record of a key after a day, an event after a year.
  for (const unit of [
    'keyedCreate',
    'keyedUpdate',
    'message',
    'create',
    'keyedCreate',
    'update',
    'keyedUpdate',
  ] as const)
    units[unit] = addUp([units[unit], { rowWritten: 1 }])
})

const UNITS: [Unit, string][] = [
  ['fetch', 'fetch'],
  ['list', 'list of 10, newest first'],
  ['create', 'create, 3 of 12 attributes indexed'],
  ['keyedCreate', 'the same with an idempotency key and a new customer'],
  ['update', 'update, one indexed attribute changes'],
  ['keyedUpdate', 'the same with an idempotency key'],
  ['createdEntry', 'an entry of a bulk create'],
  ['updatedEntry', 'an entry of a bulk update'],
  ['message', 'a single message, with an idempotency key'],
  ['sentEntry', 'a message of a bulk job'],
  ['statusWebhook', "the provider's webhook about one status"],
  ['delivery', 'an event by itself, delivered to one webhook'],
  ['deliveryOfMany', 'one of a thousand events, delivered to one webhook'],
]

const two = (dollars: number) => (dollars < 0.005 ? '0' : dollars.toFixed(2))
const perMillion = (work: Work) => two(toDollars(work) * MILLION)

function unitRows(): string[] {
  return UNITS.map(([unit, name]) => {
    const {
      request = 0,
      cpuMs = 0,
      rowRead = 0,
      rowWritten = 0,
      queueMessage = 0,
      objectCall = 0,
      objectSecond = 0,
      logLine = 0,
    } = units[unit]
    const parts: Work[] = [
      { request, cpuMs },
      { rowRead, rowWritten },
      { queueMessage, objectCall, objectSecond },
      { logLine },
    ]
    return `| ${name} | ${parts.map(perMillion).join(' | ')} | ${perMillion(units[unit])} |`
  })
}

function monthRows(): string[] {
  return TEAMS.map(({ name, about, units: counts }) => {
    const month = (Object.entries(counts) as [Unit, number][]).map(([unit, count]) => times(units[unit], count))
    const { keyedCreate = 0, createdEntry = 0, message = 0, sentEntry = 0 } = counts
    const { update = 0, keyedUpdate = 0, updatedEntry = 0 } = counts
    const log = (update + keyedUpdate) * bytes.change + updatedEntry * bytes.changeOfJob
    const monthsInDatabase = RECENT_MONTHS + Math.min(1, OBJECT_BYTES / log)
    const databaseByteMonth =
      (keyedCreate + createdEntry) * bytes.process * MONTHS_KEPT +
      log * monthsInDatabase +
      (message + sentEntry) * bytes.message * MESSAGE_MONTHS
    const fileByteMonth = log * (MONTHS_KEPT - monthsInDatabase) * COMPRESSED_SHARE
    const [calls, database, files] = [
      toDollars(addUp(month)),
      toDollars({ databaseByteMonth }),
      toDollars({ fileByteMonth }),
    ]
    const shown = [calls, database, files, calls + database + files].map(dollars => dollars.toFixed(2))
    const [inDatabase, inFiles] = [databaseByteMonth, fileByteMonth].map(each => (each / 1e9).toFixed(2))
    return `| ${name}: ${about} | ${shown[0]} | ${inDatabase} GB: ${shown[1]} | ${inFiles} GB: ${shown[2]} | ${shown[3]} |`
  })
}

if (env.COSTS)
  afterAll(() =>
    console.log([...unitRows(), ...monthRows(), JSON.stringify({ bytes, measured, units }, null, 1)].join('\n')),
  )

/** The size of a row and the number of joined calls vary a little. */
const DEVIATION = { share: 0.03, lastDigit: 2 }

const NUMBER = /\d+(?:\.\d+)?/g
const getNumbers = (row: string) => row.match(NUMBER) ?? []
const getLastDigit = (number: string) => 10 ** -(number.split('.')[1]?.length ?? 0)
const getText = (row: string) => row.replace(NUMBER, '#')

/** The guide has a row with this text, whose numbers are these but for a small deviation. */
function expectTold(row: string): void {
  const told = costs.split('\n').find(line => getText(line) === getText(row))
  expect(told, row).toBeDefined()
  const isClose = (is: string, at: number) =>
    Math.abs(Number(is) - Number(getNumbers(row)[at])) <
    Math.max(DEVIATION.lastDigit * getLastDigit(is), Number(is) * DEVIATION.share)
  expect(getNumbers(told ?? '').every(isClose), `the guide says\n${told}\nmeasured is\n${row}`).toBe(true)
}

describe('the guide about costs', () => {
  it('says what each call and entry costs, as measured', () => {
    for (const row of unitRows()) expectTold(row)
  })

  it('says what a month of three typical teams costs', () => {
    for (const row of monthRows()) expectTold(row)
    expect(measured.compressedShare).toBeGreaterThan(0)
    expect(measured.compressedShare).toBeLessThan(COMPRESSED_SHARE)
  })

  it('names the prices of its calculations', () => {
    for (const price of [
      PRICES.request,
      PRICES.rowWritten,
      PRICES.queueMessage / 3,
      PRICES.objectCall,
      PRICES.objectSecond,
      PRICES.logLine,
    ])
      expect(costs).toContain(`$${(price * MILLION).toFixed(2)}`)
  })
})
