import type { Cost } from '../../../db/cost.ts'
import { AppError } from '../../../errors.ts'
import { newUnderWay } from '../../../under-way.ts'

/** An invocation may run 1,000 statements: the rest is for what a part needs at once, and for tokens. */
const STREAM_STATEMENTS_MAX = 900
const STREAM_MINUTES_MAX = 10
/** An invocation has the CPU time for so much stored JSON. */
const STREAM_CHARACTERS_MAX = 500_000_000
/** A token that was revoked is accepted nowhere for longer than 30 seconds. */
const CHECK_TOKEN_EVERY_MS = 20_000

/** Streams that one team has open in an isolate: what each holds for a client that does not read stays in memory. */
const OPEN_STREAMS_MAX = 10
const RETRY_SECONDS = 10

const openStreams = newUnderWay(STREAM_MINUTES_MAX * 60_000)

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

/** Returns what ends it. */
export const openStream = (team: string): (() => void) => openStreams.begin(team)

/** How much of a list one request streams. */
export interface StreamBudget {
  count: (rows: readonly string[]) => void
  /** Asked between parts. */
  mayGoOn: () => Promise<boolean>
}

/** The token was revoked, or has expired, while its stream was being read. */
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
