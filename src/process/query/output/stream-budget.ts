import type { Cost } from '../../../db/cost.ts'
import { AppError } from '../../../errors.ts'
import { createUnderWay } from '../../../under-way.ts'

/** The statements of a stream. An invocation may run 1,000: the others are for one more part, and for checking the token. */
const STREAM_STATEMENTS_MAX = 900
const STREAM_MINUTES_MAX = 10
/** The stored JSON for which an invocation has the CPU time. */
const STREAM_CHARACTERS_MAX = 500_000_000
/** The interval at which a stream checks its token: a revoked one is accepted nowhere for longer than 30 seconds. */
const CHECK_TOKEN_EVERY_MS = 20_000

/** The streams that one team may have open in an isolate: rows for a client that does not read stay in memory. */
const OPEN_STREAMS_MAX = 10
const RETRY_SECONDS = 10

const openStreams = createUnderWay(STREAM_MINUTES_MAX * 60_000)

export function requireRoomForStream(team: string): void {
  if (openStreams.count(team) < OPEN_STREAMS_MAX) return
  throw new AppError('rate_limited', [
    {
      message: `your team is reading ${OPEN_STREAMS_MAX} lists with all=true at the same time`,
      hint: `read them to their end, or try again in ${RETRY_SECONDS} seconds`,
      detail: { retryAfterSeconds: RETRY_SECONDS },
    },
  ])
}

/** Counts a stream as open. Returns a function that ends it. */
export const openStream = (team: string): (() => void) => openStreams.begin(team)

/** The bounds of what one request streams of a list. */
export interface StreamBudget {
  count: (rows: readonly string[]) => void
  /** Called between parts. */
  mayGoOn: () => Promise<boolean>
}

/** The error of a stream whose token was revoked, or has expired, while it was being read. */
class NoLongerAuthorizedError extends Error {
  override readonly name = 'NoLongerAuthorizedError'
}

export function startStreamBudget(cost: Readonly<Cost>, isStillAuthorized: () => Promise<boolean>): StreamBudget {
  const endsAt = Date.now() + STREAM_MINUTES_MAX * 60_000
  let checkAt = Date.now() + CHECK_TOKEN_EVERY_MS
  let [checks, characters] = [0, 0]
  return {
    count(rows) {
      for (const { length } of rows) characters += length
    },
    async mayGoOn() {
      const now = Date.now()
      if (now >= checkAt) {
        checkAt = now + CHECK_TOKEN_EVERY_MS
        checks += 1
        if (!(await isStillAuthorized())) throw new NoLongerAuthorizedError('the token is not accepted any more')
      }
      return now < endsAt && cost.statements + checks < STREAM_STATEMENTS_MAX && characters < STREAM_CHARACTERS_MAX
    },
  }
}
