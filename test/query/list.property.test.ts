import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { createCost } from '../../src/db/cost.ts'
import { AppError } from '../../src/errors.ts'
import type { Procedure } from '../../src/procedure/model.ts'
import { findMatches, type MatchResult } from '../../src/process/query/matches.ts'
import type { ScanLimits } from '../../src/process/query/scan-limits.ts'
import { SCAN_LIMITS } from '../../src/process/query/scan-limits.ts'
import type { Scope } from '../../src/scope.ts'
import { CUSTOMERS, NOW_MS, USERS } from '../support/cases.ts'
import { listProcesses } from '../support/list-page.ts'
import { answer } from '../support/oracle.ts'
import type { Exam, Question } from '../support/queries.ts'
import { exams } from '../support/queries.ts'
import { smaller } from '../support/reduce.ts'
import { IS_CHAOS } from '../support/seed.ts'
import { idsIn, storeCustomers, storeProcedure, storeProcesses, toId } from '../support/stored.ts'

const QUERIES_PER_EXAM = 50
const QUERIES = Number(env.QUERIES || (IS_CHAOS ? 20_000 : 500))
const TIME_LIMIT_MS = 60_000 + QUERIES * 60

/** Limits so small that a handful of processes takes several statements, and every choice inside one is met. */
const CRAMPED: ScanLimits = {
  candidates: 24,
  candidatesMin: 16,
  probePosition: 3,
  rangeEntriesPerRootOfRows: 3,
  rangeEntriesMax: 12,
  rangeEntriesBesideIndexMax: 5,
  walkedPrefixesMax: 9,
  indexOrderBesideIndexMax: 6,
  countedEntriesMax: 40,
  skippedMax: 2,
  listTrips: 900,
  listMs: Number.POSITIVE_INFINITY,
}

/** A request stops after one statement, or after two. */
const HURRIED: readonly ScanLimits[] = [
  { ...CRAMPED, listTrips: 1 },
  { ...CRAMPED, listTrips: 2 },
]
/** The limit is above the statements of any list here. */
const PAGES_MAX = 2_000

const scope: Scope = {
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
  const others = processes.map(each => ({ ...each, rid: each.rid + 1, id: toId(each.rid + 1) }))
  const free = others
    .filter(({ rid }) => !taken.has(rid))
    .filter(({ rid }, at, all) => all.findIndex(each => each.rid === rid) === at)
  await storeProcesses(env.DB, { ...procedure, no: procedure.no + 1 }, free)
}

async function ask(procedure: Procedure, { where, sort, skip, limit, cramped }: Question, expected: string[]) {
  const limits = cramped ? CRAMPED : SCAN_LIMITS
  const page = await listProcesses(scope, procedure, { where, sort, skip, limit }, undefined, limits)
  expect(idsIn(page)).toEqual(expected.slice(skip, skip + limit))
  expect(page.hasMore).toBe(expected.length > skip + limit)
  expect(page.next === null).toBe(!page.hasMore)
}

async function askByCursor(procedure: Procedure, { where, sort, limit, cramped }: Question, expected: string[]) {
  const size = Math.max(2, Math.min(limit, 7), Math.ceil(expected.length / 4))
  const received: string[] = []
  let cursor: string | null = null
  do {
    const at: { cursor?: string } = cursor === null ? {} : { cursor }
    const page = await listProcesses(
      scope,
      procedure,
      { where, sort, skip: 0, limit: size, ...at },
      undefined,
      cramped ? CRAMPED : SCAN_LIMITS,
    )
    received.push(...idsIn(page))
    cursor = page.next
  } while (cursor !== null && received.length <= expected.length)
  expect(received).toEqual(expected)
}

/**
 * Reads the list in pieces: each page stops at its time limit, and its cursor continues skipping, finding or sorting.
 */
async function askInPieces(procedure: Procedure, { where, sort, skip, limit }: Question, expected: string[]) {
  const received: string[] = []
  let cursor: string | null = null
  for (let pages = 0; cursor !== null || pages === 0; pages++) {
    expect(pages).toBeLessThan(PAGES_MAX)
    const at: { skip: number; cursor?: string } = cursor === null ? { skip } : { skip: 0, cursor }
    // The next page need not be as large as this one.
    const size: number = Math.max(1, pages % 3 === 0 ? limit : limit - 2)
    const limits = HURRIED[pages % HURRIED.length]
    const page = await listProcesses(scope, procedure, { where, sort, limit: size, ...at }, undefined, limits)
    expect(page.rows.length).toBeLessThanOrEqual(size)
    received.push(...idsIn(page))
    cursor = page.next
  }
  expect(received).toEqual(expected.slice(skip))
}

async function askForAll(procedure: Procedure, { where, cramped }: Question, expected: string[]) {
  const received: string[] = []
  const limits = cramped ? CRAMPED : SCAN_LIMITS
  let before: number | null = null
  for (let pages = 0; before !== null || pages === 0; pages++) {
    expect(pages).toBeLessThan(PAGES_MAX)
    const limit = cramped ? 15 : 2_000
    // Some pages are one statement, others as many as it takes.
    const found: MatchResult = await findMatches(scope, procedure, {
      moment: scope.now,
      where,
      before,
      limit,
      limits,
      mayGoOn: () => pages % 2 === 0,
    })
    expect(found.ids.length).toBeLessThanOrEqual(limit)
    received.push(...found.ids)
    before = found.rest
  }
  expect(received).toEqual(expected)
}

/** Asks in every way; returns how many processes match. */
async function check(exam: Exam, question: Question, index: number, reduced = false): Promise<number> {
  const { procedure, processes } = exam
  const context = { procedure, users: USERS, customers: CUSTOMERS, now: NOW_MS }
  const expected = answer(context, processes, question)
  try {
    await ask(procedure, question, expected)
    if (index % 3 === 0 || question.sort.length > 0) await askByCursor(procedure, question, expected)
    if (index % 3 === 2) await askInPieces(procedure, question, expected)
    if (index % 3 === 1) await askForAll(procedure, question, answer(context, processes, { ...question, sort: [] }))
  } catch (cause) {
    // A query made smaller may have become invalid: that is not what failed.
    if (reduced && cause instanceof AppError) return 0
    for (const where of smaller(question.where)) {
      await check(exam, { ...question, where: where as Question['where'] }, index, true)
    }
    throw new Error(`${JSON.stringify({ ...question, index })}\nof ${JSON.stringify(procedure)}`, { cause })
  }
  return expected.length
}

test('every query finds what a plain reading of the processes finds, in the same order and on every page', {
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
  let [asked, empty] = [0, 0]
  const property = fc.asyncProperty(exams(QUERIES_PER_EXAM), async exam => {
    await store(exam)
    for (const [index, question] of exam.questions.entries()) {
      asked += 1
      if ((await check(exam, question, index)) === 0) empty += 1
    }
  })
  await fc.assert(property, {
    numRuns: Math.max(1, Math.ceil(QUERIES / QUERIES_PER_EXAM)),
    // Whole exams shrink slowly; `check` has made the query that failed as small as it goes.
    endOnFailure: true,
    interruptAfterTimeLimit: TIME_LIMIT_MS - 5_000,
  })
  console.info(`${asked} queries, ${empty} without a match`)
  expect(empty).toBeLessThan(asked * 0.75)
})
