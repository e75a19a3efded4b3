import { openDatabase } from '../db/databases.ts'
import { write } from '../db/write.ts'
import { describeError } from '../describe-error.ts'
import { toDay } from '../time-units.ts'
import { sleep } from '../timeout.ts'
import { addUsage, type CollectedUsage, removeOldUsage } from '../usage/statements.ts'
import type { RequestLine } from './line.ts'
import { insertBatches } from './store.ts'

// The lines and figures that this isolate has collected and not yet written: few writes for many requests. If the isolate ends before,
// some seconds of them are lost.

/** The lines of a batch, and those of one team: further ones are only counted. */
const LINES_MAX = 100
const LINES_OF_TEAM_MAX = 500
const TEAMS_MAX = 1_000

let lines = new Map<number, RequestLine[]>()
let usage = new Map<string, CollectedUsage>()
let lineCount = 0
/** The time until which another request is planned to write what was collected. */
let plannedUntil = 0

export const findCollectedLine = (team: number, id: string): RequestLine | undefined =>
  lines.get(team)?.find(line => line.id === id)

export function collectLine(team: number, line: RequestLine): void {
  const own = lines.get(team) ?? []
  if (own.length >= LINES_OF_TEAM_MAX || (own.length === 0 && lines.size >= TEAMS_MAX)) return
  own.push(line)
  lines.set(team, own)
  lineCount++
}

export function collectUsage(
  team: number,
  now: number,
  { status, ...took }: Pick<RequestLine, 'status' | 'read' | 'written' | 'databaseMs'>,
): void {
  const day = toDay(now)
  const key = `${team} ${day}`
  const sum = usage.get(key) ?? { team, day, requests: 0, failed: 0, rowsRead: 0, rowsWritten: 0, databaseMicros: 0 }
  sum.requests += 1
  sum.failed += status >= 400 ? 1 : 0
  sum.rowsRead += took.read
  sum.rowsWritten += took.written
  sum.databaseMicros += Math.round(took.databaseMs * 1000)
  usage.set(key, sum)
}

/** The grace after which a plan is given up: its request did not live to carry it out. */
const OVERDUE_MS = 5_000

/** Returns what is left to do after this response; undefined if another request does it. */
export function planBatch(env: Env, batchMs: number, now: number): (() => Promise<void>) | undefined {
  if (lineCount >= LINES_MAX) return () => writeCollected(env)
  if (now < plannedUntil) return undefined
  plannedUntil = now + batchMs + OVERDUE_MS
  return async () => {
    if (batchMs > 0) await sleep(batchMs)
    await writeCollected(env)
  }
}

/** Writes one transaction for all teams. If it fails, the lines are lost, because nobody knows whether they were written. */
async function writeCollected(env: Env): Promise<void> {
  const [ownLines, ownUsage, count] = [lines, usage, lineCount]
  ;[lines, usage, lineCount, plannedUntil] = [new Map(), new Map(), 0, 0]
  if (ownUsage.size === 0) return
  const at = Date.now()
  const batches = [...ownLines].map(([team, each]) => ({
    team,
    at,
    lines: each,
    batch: crypto.randomUUID().slice(0, 8),
  }))
  try {
    const used = [...ownUsage.values()]
    const kept = batches.length === 0 ? [] : [insertBatches(batches)]
    const effect = [...kept, addUsage(used), removeOldUsage(used)]
    await write({ db: openDatabase(env), idempotency: null }, { effect, outcome: null })
  } catch (error) {
    console.warn(JSON.stringify({ requestLinesLost: count, cause: describeError(error) }))
  }
}
