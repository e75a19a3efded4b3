/// <reference types="vite/types/importMeta.d.ts" />
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import running from '../src/docs/guides/running.md?raw'
import { findConditions } from '../src/maintenance/alert-rules.ts'
import type { Metrics } from '../src/maintenance/metrics.ts'
import { MINUTE_MS } from '../src/time-units.ts'
import { setDatabaseSize } from './support/database-size.ts'
import { type Call, Harness } from './support/harness.ts'
import { connectReceivers, newReceiver, ok } from './support/receiver.ts'

const ORIGIN = 'https://api.acme.dev'
const [SMALL, FULL] = [1_000_000_000, 8_600_000_000]

beforeEach(async () => {
  // Each test is an installation that has announced nothing yet.
  await env.DB.prepare("DELETE FROM maintenance_position WHERE task LIKE 'alert %'").run()
  connectReceivers()
  for (const level of ['info', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => {})
})
afterEach(() => void vi.restoreAllMocks())

/** An installation whose alerts somebody gets, and the minutes of its cron. */
function installation() {
  const receiver = newReceiver()
  const harness = new Harness({ ALERT_URL: receiver.url, PUBLIC_ORIGIN: ORIGIN })
  const database = { bytes: SMALL, isBroken: false }
  setDatabaseSize(harness, () => {
    if (database.isBroken) throw new Error('D1_ERROR: database disk image is malformed')
    return database.bytes
  })
  let now = Date.now()
  /** Collects the announcements of so many minutes, after some in which the cron does not run. */
  const pass = async (minutes: number, missed = 0) => {
    const before = receiver.arrivals.length
    now += missed * MINUTE_MS
    for (let minute = 0; minute < minutes; minute++) {
      now += MINUTE_MS
      await harness.runCron(now)
    }
    return receiver.arrivals.slice(before).map(({ event }) => event)
  }
  return { receiver, database, pass }
}

const texts = (told: { text: string }[]) => told.map(({ text }) => text)
const names = (told: { alerts: { alert: string; status: string }[] }[]) =>
  told.flatMap(({ alerts }) => alerts.map(({ alert, status }) => `${alert} ${status}`))

describe('alerts', () => {
  it('a new alert is announced to an address, and nothing is announced while nothing is wrong', async () => {
    const { pass } = installation()
    expect(texts(await pass(1))).toEqual([`${ORIGIN}: alerts are sent to this address`])
    expect(await pass(5)).toEqual([])
  })

  it('each alert is announced once when it begins and once when it is over', async () => {
    const { database, pass } = installation()
    await pass(1)
    database.bytes = FULL
    const [begun, later, ...more] = await pass(6)
    expect(begun.text).toBe(`${ORIGIN}: 86 % of the database are used: bulk requests are refused`)
    expect(begun.alerts).toEqual([
      {
        alert: 'database full',
        status: 'begun',
        text: expect.any(String),
        since: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ])
    expect(names([later])).toEqual(['database fills begun'])
    expect(more).toEqual([])
    database.bytes = SMALL
    expect(await pass(5)).toEqual([])
    database.bytes = FULL
    expect(await pass(5)).toEqual([])
    database.bytes = SMALL
    const [over, ...rest] = await pass(14)
    expect(names([over])).toEqual(['database fills ended', 'database full ended'])
    expect(over.text).toContain(`${ORIGIN}: it is over that 86 % of the database are used`)
    expect(rest).toEqual([])
    database.bytes = FULL
    expect(names(await pass(1))).toEqual(['database full begun'])
  })

  it('an alert that the receiver did not accept is announced again a minute later, and the cron goes on', async () => {
    const refused = [
      () => new Response('no', { status: 503 }),
      () => 'drop' as const,
      () => Response.redirect('https://a.example.com'),
    ]
    const { receiver, database, pass } = installation()
    await pass(1)
    database.bytes = FULL
    for (const behave of refused) {
      receiver.behave = behave
      expect(names(await pass(1))).toEqual(['database full begun'])
    }
    receiver.behave = ok
    expect(names(await pass(2))).toEqual(['database full begun'])
  })

  it('a database that does not answer is announced once, and not each minute', async () => {
    const { database, pass } = installation()
    await pass(1)
    database.isBroken = true
    expect(texts(await pass(3))).toEqual([`${ORIGIN}: the database does not answer the cron`])
    expect(await pass(13)).toHaveLength(1)
  })

  it('a maintenance task that fails each minute is in the backlog, and the alert comes after an hour', async () => {
    const receiver = newReceiver()
    const fault = (_: string, __: number, ___: string, { sql }: Call) =>
      sql.includes('DELETE FROM "session"') ? 'fails before' : undefined
    const harness = new Harness({ ALERT_URL: receiver.url, PUBLIC_ORIGIN: ORIGIN }, { fault })
    const now = Date.now()
    for (let minute = 0; minute < 60; minute += 5) await harness.runCron(now + minute * MINUTE_MS)
    expect(receiver.arrivals).toHaveLength(1)
    await harness.runCron(now + 62 * MINUTE_MS)
    expect(texts(receiver.arrivals.slice(1).map(({ event }) => event))).toEqual([
      `${ORIGIN}: maintenance does not come to its end: expire sessions`,
    ])
  })

  it('an alert of before a pause, or of a time that a restore goes back to, counts for nothing afterwards', async () => {
    const { database, pass } = installation()
    await pass(1)
    database.bytes = FULL
    expect(names(await pass(1))).toEqual(['database full begun'])
    // For an hour the cron does not run: what was so then is not so since then.
    expect(names(await pass(1, 60))).toEqual(['database full begun'])
    expect(names(await pass(4))).toEqual([])
    expect(names(await pass(1))).toEqual(['database fills begun'])
  })

  it('no alert is made, and none costs anything, where no address is set', async () => {
    const [first, without, withAddress] = [new Harness(), new Harness(), new Harness({ ALERT_URL: newReceiver().url })]
    // The first run does the daily work.
    await first.runCron()
    await without.runCron()
    const { log } = without
    await withAddress.runCron()
    expect(log.filter(({ sql }) => sql.includes('alert '))).toEqual([])
    expect(withAddress.calls.database).toBe(without.calls.database + 2)
  })
})

const QUIET: Metrics = {
  version: 'v1',
  openJobs: {},
  jobsWithDeadLetters: 0,
  failingErasures: { count: 0 },
  failingMerges: { count: 0 },
  allowances: [],
  oldestWakeMs: null,
  messages: {},
  webhooks: { behind: 0, oldestWaitingMs: null, stalled: 0 },
  backlog: {},
  databaseBytes: 0,
  databaseShare: 0.2,
  cron: { ms: 400, trips: 20, statements: 80, rowsRead: 0, rowsWritten: 0 },
}

describe('the metrics of a minute', () => {
  it.each<[string, Partial<Metrics>]>([
    ['database fills', { databaseShare: 0.7 }],
    ['database full, database fills', { databaseShare: 0.85 }],
    ['jobs stand still', { oldestWakeMs: 600_001 }],
    ['job steps fail', { jobsWithDeadLetters: 1 }],
    ['erasures fail', { failingErasures: { count: 2, id: 'a', team: 3, since: 4 } }],
    ['merges fail', { failingMerges: { count: 2, id: 'a', team: 3, since: 4 } }],
    ['allowance of acme_sales', { allowances: [{ team: 'acme_sales', rowsPerDay: 10, rows: 8 }] }],
    [
      'allowance of acme_sales, allowance of acme_sales used',
      { allowances: [{ team: 'acme_sales', rowsPerDay: 10, rows: 10 }] },
    ],
    ['webhooks stand still', { webhooks: { behind: 1, oldestWaitingMs: 5, stalled: 1 } }],
    ['messages fail', { messages: { DELIVERED: 6, FAILED: 2, UNKNOWN: 2 } }],
    ['too many jobs', { openJobs: { PENDING: 400, IN_PROGRESS: 600 } }],
    ['database slow', { cron: { ...QUIET.cron, ms: 30_001 } }],
    ['maintenance behind', { backlog: { 'expire jobs': 1 } }],
    ['', {}],
    ['', { oldestWakeMs: 600_000, databaseShare: 0.699, cron: { ...QUIET.cron, ms: 30_000 } }],
    ['', { messages: { DELIVERED: 5, FAILED: 4 }, openJobs: { PENDING: 999 } }],
    ['', { messages: { DELIVERED: 21, FAILED: 10 } }],
  ])('a metric raises the alert: %s', (expected, metrics) => {
    const conditions = findConditions({ ...QUIET, ...metrics })
    expect(conditions.map(({ name }) => name).join(', ')).toBe(expected)
    for (const { name } of conditions)
      expect(running, 'the table of the guide').toMatch(new RegExp(`^\\| .*\`${name}\``, 'm'))
  })
})
