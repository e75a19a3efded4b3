import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { createCost } from '../../src/db/cost.ts'
import { AppError } from '../../src/errors.ts'
import type { Procedure } from '../../src/procedure/model.ts'
import { ATTRIBUTE_TYPES } from '../../src/procedure/model.ts'
import { aggregateProcesses } from '../../src/process/query/aggregate/aggregate.ts'
import type { MetricRequest } from '../../src/process/query/aggregate/parsed-aggregate.ts'
import type { ScanLimits } from '../../src/process/query/scan-limits.ts'
import { SCAN_LIMITS } from '../../src/process/query/scan-limits.ts'
import { type AskedFigures, type Expected, expectedGroups, Near } from '../support/aggregate-oracle.ts'
import { CUSTOMERS, NOW_MS, USERS } from '../support/cases.ts'
import { type Exam, exams } from '../support/queries.ts'
import { smaller } from '../support/reduce.ts'
import { IS_CHAOS } from '../support/seed.ts'
import { storeCustomers, storeProcedure, storeProcesses, toId } from '../support/stored.ts'

const ASKED_PER_EXAM = 40
const ASKED = Number(env.QUERIES || (IS_CHAOS ? 10_000 : 500))
const TIME_LIMIT_MS = 60_000 + ASKED * 60

/** Limits so small that a handful of processes takes several statements. */
const CRAMPED: ScanLimits = {
  ...SCAN_LIMITS,
  candidates: 12,
  candidatesMin: 4,
  countedEntriesMax: 24,
  listMs: Number.POSITIVE_INFINITY,
}
const LIMITS: readonly ScanLimits[] = [
  SCAN_LIMITS,
  CRAMPED,
  // A request stops after one statement, or after two.
  { ...CRAMPED, listTrips: 1 },
  { ...CRAMPED, listTrips: 2 },
]
const REQUESTS_MAX = 500

const scope = {
  db: connect(env.DB, createCost(), TIME_LIMIT_MS),
  idempotency: null,
  team: { no: 1, id: 'team', shortId: 'team', name: 'Team', eventFeedSince: null },
  user: { id: 'nobody' },
  origin: { job: 'none' },
  now: NOW_MS,
}

async function store({ procedure, processes }: Exam): Promise<void> {
  await env.DB.batch(['process', 'process_value', 'procedure'].map(table => env.DB.prepare(`DELETE FROM ${table}`)))
  await storeProcedure(env.DB, procedure)
  await storeProcesses(env.DB, procedure, processes)
  // Another procedure with the same values, in between.
  const taken = new Set(processes.map(({ rid }) => rid))
  const free = processes
    .map(each => ({ ...each, rid: each.rid + 1, id: toId(each.rid + 1) }))
    .filter(({ rid }, at, all) => !taken.has(rid) && all.findIndex(each => each.rid === rid) === at)
  await storeProcesses(env.DB, { ...procedure, no: procedure.no + 1 }, free)
}

/** Groups and metrics that the procedure allows, by what is drawn: numbers that pick one of them. */
interface Drawn {
  groups: { nth: number; unit: 'day' | 'week' | 'month'; timeZone: string }[]
  metrics: { nth: number; metric: 'sum' | 'avg' | 'min' | 'max' }[]
  limits: number
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  groups: fc.array(
    fc.record({
      nth: fc.nat({ max: 1_000 }),
      unit: fc.constantFrom('day', 'week', 'month'),
      timeZone: fc.constantFrom('UTC', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Apia'),
    }),
    { maxLength: 3 },
  ),
  metrics: fc.array(fc.record({ nth: fc.nat({ max: 1_000 }), metric: fc.constantFrom('sum', 'avg', 'min', 'max') }), {
    maxLength: 4,
  }),
  limits: fc.nat({ max: LIMITS.length - 1 }),
})

const TIMES = ['createdAt', 'updatedAt', 'nextActionAt']

function makeRequest(
  { procedure, processes }: Exam,
  where: Record<string, unknown>,
  { groups, metrics }: Drawn,
): AskedFigures {
  const names = [
    ...new Set([
      ...procedure.attributes.map(each => each.shortId),
      ...processes.flatMap(each => Object.keys(each.data)),
    ]),
  ]
  const getKind = (name: string) => {
    const type = procedure.attributes.find(each => each.shortId === name)?.type
    return type === undefined ? 'undeclared' : ATTRIBUTE_TYPES[type]
  }
  const isDated = (name: string) =>
    ['date', 'datetime', 'datetimeISO8601'].includes(
      procedure.attributes.find(each => each.shortId === name)?.type ?? '',
    )
  const grouped = ['status', 'state', 'assignedTo', ...TIMES, ...names].filter(
    name => name !== procedure.primaryKey && !['document', 'list'].includes(getKind(name)),
  )
  const summed = names.filter(name => ['number', 'undeclared'].includes(getKind(name)))
  const ordered = [
    ...TIMES,
    ...names.filter(name => ['text', 'number', 'moment', 'undeclared'].includes(getKind(name))),
  ]
  const pick = (list: string[], nth: number): string[] => list.slice(nth % list.length, (nth % list.length) + 1)
  const fields = groups.map(({ nth, ...calendar }) => ({ field: pick(grouped, nth)[0] ?? 'state', ...calendar }))
  return {
    where,
    groupBy: fields
      .filter(({ field }, at) => fields.findIndex(each => each.field === field) === at)
      .map(({ field, unit, timeZone }, at) =>
        TIMES.includes(field) || (isDated(field) && at % 2 === 0) ? { field, by: unit, timeZone } : field,
      ),
    metrics: metrics.flatMap(({ nth, metric }) =>
      pick(metric === 'sum' || metric === 'avg' ? summed : ordered, nth).map(field => ({ metric, field })),
    ),
  }
}

/** Numbers as far as two ways to read a text agree. */
const rounded = (value: unknown): unknown => (typeof value === 'number' ? Number(value.toPrecision(12)) : value)
const getKey = ({ group, count }: Expected) =>
  JSON.stringify([Object.entries(group).map(([name, value]) => [name, rounded(value)]), count])
const compareKeys = (one: Expected, other: Expected) => (getKey(one) < getKey(other) ? -1 : 1)

function expectSame(groups: Expected[], expected: Expected[]): void {
  expect(groups.map(getKey).sort()).toEqual(expected.map(getKey).sort())
  const received = [...groups].sort(compareKeys)
  for (const [nth, { figures }] of [...expected].sort(compareKeys).entries())
    for (const [name, wanted] of Object.entries(figures)) {
      const figure = received[nth]?.figures[name]
      if (wanted instanceof Near) expect(wanted.isNear(figure), `${name}: ${wanted.value} and ${figure}`).toBe(true)
      else expect(rounded(figure), name).toEqual(rounded(wanted))
    }
}

async function found(procedure: Procedure, asked: AskedFigures, limits: ScanLimits): Promise<Expected[]> {
  const metrics: MetricRequest[] = asked.metrics.map(({ metric, field }) => ({ [metric]: field }))
  const request = {
    filters: [{ where: asked.where, pointer: '/body/where' }],
    groupBy: asked.groupBy,
    metrics: [...metrics, { count: true as const }],
    limit: 10_000,
  }
  let cursor: string | undefined
  for (let requests = 0; requests < REQUESTS_MAX; requests++) {
    const answer = await aggregateProcesses(scope, procedure, { ...request, cursor }, undefined, limits)
    if (answer.next === null)
      return answer.groups.map(({ group, count = -1, ...figures }) => ({
        group,
        count,
        figures: Object.fromEntries(
          asked.metrics.map(({ metric, field }) => [`${metric} ${field}`, figures[metric]?.[field]]),
        ),
      }))
    cursor = answer.next
  }
  throw new Error('it does not end')
}

async function check(exam: Exam, asked: AskedFigures, limits: ScanLimits, reduced = false): Promise<void> {
  const expected = expectedGroups(
    { procedure: exam.procedure, users: USERS, customers: CUSTOMERS, now: NOW_MS },
    exam.processes,
    asked,
  )
  try {
    const groups = await found(exam.procedure, asked, limits)
    const counts = groups.map(({ count }) => count)
    expect(counts).toEqual([...counts].sort((one, other) => other - one))
    expectSame(groups, expected)
  } catch (cause) {
    if (reduced && cause instanceof AppError) return
    for (const where of smaller(asked.where))
      await check(exam, { ...asked, where: where as AskedFigures['where'] }, limits, true)
    throw new Error(`${JSON.stringify(asked)}\nof ${JSON.stringify(exam.procedure)}`, { cause })
  }
}

test('every aggregation has the results of a plain computation, in one request or in many', {
  timeout: TIME_LIMIT_MS,
}, async () => {
  await env.DB.batch(
    [...USERS].map(([username, id], index) =>
      env.DB.prepare(
        'INSERT INTO user (no, id, team, username, role, created_at, updated_at) VALUES (?, ?, 1, ?, ?, 0, 0)',
      ).bind(index + 1, id, username, 'agent'),
    ),
  )
  await storeCustomers(env.DB, CUSTOMERS)
  const draws = fc.array(drawn, { minLength: ASKED_PER_EXAM, maxLength: ASKED_PER_EXAM, size: 'max' })
  const property = fc.asyncProperty(exams(ASKED_PER_EXAM), draws, async (exam, list) => {
    await store(exam)
    for (const [nth, one] of list.entries()) {
      // Without a filter other plans are possible.
      const where = nth % 3 === 0 ? {} : (exam.questions[nth]?.where ?? {})
      await check(exam, makeRequest(exam, where, one), LIMITS[one.limits] ?? SCAN_LIMITS)
    }
  })
  await fc.assert(property, {
    numRuns: Math.max(1, Math.ceil(ASKED / ASKED_PER_EXAM)),
    endOnFailure: true,
    interruptAfterTimeLimit: TIME_LIMIT_MS - 5_000,
  })
})

/** SQLite reads the text of such a number as its neighbour, and the text of what it returns as the neighbour of that. */
const EXTREME = [2.6040301166391774e-167, -4.074953413505819e194]

test('numbers with extreme exponents are counted once, however small the steps are', async () => {
  const [drawnOne] = fc.sample(
    exams(1).filter(({ processes }) => processes.length > 0),
    { seed: 1, numRuns: 1 },
  )
  const [like] = drawnOne?.processes ?? []
  if (!drawnOne || !like) throw new Error('there is none')
  const amount = { shortId: 'amount', name: 'Amount', type: 'date', required: false, indexed: true } as const
  const slots = { amount: { column: 1, ready: true } }
  const procedure = { ...drawnOne.procedure, attributes: [amount], slots, primaryKey: null }
  const processes = Array.from({ length: 60 }, (_, nth) => ({
    ...like,
    rid: like.rid + 2 * nth,
    id: toId(like.rid + 2 * nth),
    data: { amount: EXTREME[nth % EXTREME.length] },
  }))
  const exam = { procedure, processes, questions: [] }
  await store(exam)
  const months = { field: 'amount', by: 'month', timeZone: 'UTC' } as const
  for (const limits of LIMITS)
    for (const groupBy of [[], ['amount'], [months]])
      await check(exam, { where: {}, groupBy, metrics: [{ metric: 'max', field: 'amount' }] }, limits)
})
