import { AppError } from '../errors.ts'
import { getTeamEvents, type TeamEventsEnv, TOO_MANY_WAIT, WAITING_CALLS_MAX } from '../event/signal/team-object.ts'
import type { FeedPage } from './operations.ts'

/** Bounds one call: a busy team would be read all the time for a type that never comes. */
const READS_MAX = 20

export interface WaitContext {
  env: TeamEventsEnv
  team: number
  until: number
  /** Reads the page after a number. */
  read: (after: number) => Promise<FeedPage>
}

const isEmptyAtEnd = ({ events, next, latest }: FeedPage): boolean => events.length === 0 && next >= latest

/**
 * Waits for the first event after an empty page. While nothing happens nothing is read: the team's object tells of commits
 * by a WebSocket. At the end it looks once more, in case a signal was lost.
 */
export async function waitForEvents({ env, team, until, read }: WaitContext, empty: FeedPage): Promise<FeedPage> {
  const signals = await openSignals(env, team)
  try {
    // Commits between the first read and the opening of the socket had no signal.
    let page = await read(empty.next)
    for (let reads = 1; isEmptyAtEnd(page) && reads < READS_MAX && Date.now() < until; reads++) {
      await signals.next(until)
      page = await read(page.next)
    }
    return page
  } finally {
    signals.close()
  }
}

interface Signals {
  /** Resolves at a signal, or at a time. */
  next: (until: number) => Promise<void>
  close: () => void
}

/** Opens the socket of signals. Without one, only the time ends the wait. A call beyond the limit does not wait at all. */
async function openSignals(env: TeamEventsEnv, team: number): Promise<Signals> {
  const opened = await openSocket(env, team).catch(() => null)
  if (opened?.status === TOO_MANY_WAIT) throw tooManyWaitError()
  const socket = opened?.webSocket
  let isSignalled = false
  let wake = () => {}
  socket?.addEventListener('message', () => {
    isSignalled = true
    wake()
  })
  socket?.accept()
  return {
    async next(until) {
      if (!isSignalled)
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, Math.max(0, until - Date.now()))
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      isSignalled = false
    },
    close: () => socket?.close(),
  }
}

const openSocket = (env: TeamEventsEnv, team: number): Promise<Response> =>
  getTeamEvents(env, team).fetch('https://events/', { headers: { upgrade: 'websocket' } })

const RETRY_SECONDS = 5

const tooManyWaitError = (): AppError =>
  new AppError('rate_limited', [
    {
      message: `${WAITING_CALLS_MAX} calls of your team wait for events already`,
      hint: `let one call wait and hand on what it finds, or try again in ${RETRY_SECONDS} seconds`,
      detail: { retryAfterSeconds: RETRY_SECONDS },
    },
  ])
