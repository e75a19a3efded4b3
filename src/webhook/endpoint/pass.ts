import type { Db } from '../../db/client.ts'
import { type Cost, createCost } from '../../db/cost.ts'
import type { RowIdentity } from '../../event/read.ts'
import type { Cipher } from '../../plugin/secret/cipher.ts'
import type { Team } from '../../scope.ts'
import { type AddressPolicy, checkAddress } from '../address-rules.ts'
import { applyAttempt, countConnections, type DeliveryAttempt, isDelivered, nextDueAt } from '../delivery-rules.ts'
import { decryptSigningSecrets } from '../secrets.ts'
import { attemptDelivery, type Receiver } from './attempt.ts'
import { type Endpoint, loadEndpoint } from './endpoint.ts'
import { newOutbox, type Outbox, type QueuedEvent } from './outbox.ts'
import { getPosition, isWorthSaving, type PendingChanges, saveProgress } from './save.ts'
import { findNewEvents } from './sources.ts'
import { type EndpointName, formatSelection } from './store.ts'

/** Results are saved after this number or this time. What is not saved is sent again after a crash. */
const UNSAVED_ATTEMPTS_MAX = 100
const UNSAVED_MS_MAX = 1_000
/** A pass ends at the first of these limits, and the alarm begins the next one: an invocation has limits on statements and calls. */
const PASS_MS_MAX = 60_000
const PASS_ATTEMPTS_MAX = 2_000
const PASS_STATEMENTS_MAX = 700

export interface PassContext {
  db: (cost: Cost) => Db
  cipher: Cipher
  policy: AddressPolicy
  timeoutMs: number
  /** The time since which the feed shows events. */
  keptSince: () => number
  /** Signals the commit that disables the endpoint, because that is an event. */
  signal: (team: Team) => Promise<void>
}

/** The memory of a Durable Object between passes. Nothing is wrong if it is lost. */
export interface PassMemory {
  /**
   * At this revision of the progress, events up to here are known to be of no interest to an endpoint that wants these, in
   * the log that had this row. A restore of the database gives the numbers, also of the revision, again.
   */
  passed: { revision: number; wanted: string; to: number; lastRow: RowIdentity | null } | null
  /** The number of requests that may be under way at a time. */
  connections: number
  /** Whether somebody has found the position behind. */
  isBehind: boolean
  /** Whether a call during the pass said that there may be more events. */
  isWoken: boolean
  /** Whether a call during the pass said that the endpoint was changed, or has a replay, since it was loaded. */
  isOutdated: boolean
}

/** The time of the next alarm, or why there is none. */
export type NextPass = number | 'never' | 'removed'

/**
 * Sends what may be sent. An event counts as delivered when the receiver said so, and that is written down afterwards:
 * whatever happens in between, it is sent once more, with the same id.
 */
export async function runPass(context: PassContext, name: EndpointName, memory: PassMemory): Promise<NextPass> {
  const cost = createCost()
  // Each call gives a connection with a time limit of its own.
  const db = () => context.db(cost)
  const endpoint = await loadEndpoint(db(), name, memory.passed?.lastRow ?? null)
  if (!endpoint) return 'removed'
  if (endpoint.row.enabled === 0) return 'never'
  // The cron wakes it when the team is resumed.
  if (endpoint.row.teamSuspendedAt !== null) return 'never'
  skipPassed(endpoint, memory)
  const receiver = await loadReceiver(context, endpoint)
  const pass = startPass({ db, endpoint, receiver, memory, signal: context.signal }, context.keptSince())
  try {
    return await deliver(pass)
  } finally {
    // Waits for the attempts in flight, so that the next pass starts with none.
    await Promise.allSettled(pass.inFlight.values())
  }
}

function skipPassed({ sources, row, lastRow }: Endpoint, { passed }: PassMemory): void {
  const news = findNewEvents(sources)
  if (news && lastRow && passed?.revision === row.revision && passed.wanted === formatSelection(row))
    news.readTo = Math.max(news.readTo, passed.to)
}

/** The receiver of a pass, which ends when one of the secrets does. */
type SignedReceiver = Receiver & { endsAt: number }

/** A pass that is under way. */
interface Pass {
  db: () => Db
  endpoint: Endpoint
  receiver: SignedReceiver
  outbox: Outbox
  memory: PassMemory
  signal: PassContext['signal']
  /** The attempts that are not over, by the number of the event. */
  inFlight: Map<number, Promise<void>>
  unsaved: PendingChanges
  savedAt: number
  endsAt: number
  attemptsLeft: number
  /** Whether there is nothing to send, as far as is known. */
  isIdle: boolean
  /** Whether nothing more may be sent. */
  isOver: boolean
  isDisabled: boolean
}

function startPass(begun: Pick<Pass, 'db' | 'endpoint' | 'receiver' | 'memory' | 'signal'>, keptSince: number): Pass {
  const unsaved: PendingChanges = { attempts: [], isChanged: false, disabled: null }
  const onGone = (first: number, last: number) => unsaved.attempts.push(notKept(first, last))
  const inFlight = new Map<number, Promise<void>>()
  return {
    ...begun,
    inFlight,
    outbox: newOutbox(begun.endpoint, { db: begun.db, inFlight, keptSince, onGone }),
    unsaved,
    savedAt: Date.now(),
    endsAt: Math.min(Date.now() + PASS_MS_MAX, begun.receiver.endsAt),
    attemptsLeft: PASS_ATTEMPTS_MAX,
    isIdle: false,
    isOver: false,
    isDisabled: false,
  }
}

/** Notes removed events as an attempt without a request, so that who looks for them finds out why. */
const notKept = (first: number, last: number): DeliveryAttempt => {
  const events = first === last ? `event ${first} was` : `events ${first} to ${last} were`
  const error = `${events} not sent: not kept any more`
  return { event: '', sequence: last, type: '', attempt: 0, at: Date.now(), ms: 0, status: null, error }
}

const isSpent = ({ db, endsAt, attemptsLeft }: Pass): boolean =>
  Date.now() >= endsAt || attemptsLeft <= 0 || db().cost.statements >= PASS_STATEMENTS_MAX

async function deliver(pass: Pass): Promise<NextPass> {
  const { memory, inFlight } = pass
  for (;;) {
    pass.isOver ||= memory.isOutdated
    if (!pass.isIdle || memory.isWoken) {
      memory.isWoken = false
      await sendMore(pass)
    }
    if (inFlight.size === 0 && (pass.isIdle || pass.isOver || isSpent(pass))) break
    await soonest([...inFlight.values()], pass.savedAt + UNSAVED_MS_MAX - Date.now())
    await saveIfDue(pass)
  }
  return endPass(pass)
}

/** Begins attempts, up to the number that may be under way. */
async function sendMore(pass: Pass): Promise<void> {
  const { endpoint, outbox, inFlight, unsaved } = pass
  const atOnceMax = () => (endpoint.row.order === 'strict' ? 1 : pass.memory.connections)
  while (!pass.isOver && !pass.memory.isOutdated && inFlight.size < atOnceMax() && !isSpent(pass)) {
    const before = endpoint.state
    const queued = await outbox.next()
    unsaved.isChanged ||= endpoint.state !== before
    pass.isIdle = queued === null
    if (queued === null) return
    pass.attemptsLeft -= 1
    inFlight.set(queued.event.sequence, attempt(pass, queued))
  }
}

async function attempt(pass: Pass, { event, source }: QueuedEvent): Promise<void> {
  const { endpoint, receiver, unsaved } = pass
  const { order } = endpoint.row
  const { id, sequence, type } = event
  const { retryAfterMs, ...result } = await attemptDelivery(receiver, { id, sequence, body: JSON.stringify(event) })
  const at = result.at + result.ms
  const after = applyAttempt(
    endpoint.state,
    { sequence, at, status: result.status, retryAfterMs },
    order,
    Math.random(),
  )
  endpoint.state = after.state
  pass.memory.connections = countConnections(pass.memory.connections, isDelivered(result.status))
  source?.unsettled.delete(sequence)
  const next = after.nextAt === null ? {} : { nextAt: after.nextAt }
  unsaved.attempts.push({ event: id, sequence, type, attempt: after.attempt, ...result, ...next })
  if (after.disabled && !pass.isDisabled) {
    unsaved.disabled = { reason: after.disabled, at }
    pass.isDisabled = true
  }
  // In strict order nothing passes what failed.
  if (pass.isDisabled || (order === 'strict' && !isDelivered(result.status))) pass.isOver = true
  pass.inFlight.delete(sequence)
}

async function saveIfDue(pass: Pass): Promise<void> {
  const { attempts } = pass.unsaved
  if (attempts.length < UNSAVED_ATTEMPTS_MAX && Date.now() - pass.savedAt < UNSAVED_MS_MAX) return
  const isCurrent = attempts.length === 0 || (await saveProgress(pass.db, pass.endpoint, pass.unsaved))
  pass.isOver ||= !isCurrent
  // The time moves on also if there was nothing to save, so that a slow attempt is waited for by the second.
  pass.savedAt = Date.now()
}

/** Saves what is left, and returns the time of the next alarm. */
async function endPass(pass: Pass): Promise<NextPass> {
  const { db, endpoint, unsaved, memory } = pass
  const isCurrent = !isWorthSaving(endpoint, unsaved, memory.isBehind) || (await saveProgress(db, endpoint, unsaved))
  const { row, lastRow } = endpoint
  memory.passed = { revision: row.revision, wanted: formatSelection(row), to: getPosition(endpoint), lastRow }
  memory.isBehind = false
  if (pass.isDisabled) {
    await pass.signal(endpoint.team)
    return isCurrent ? 'never' : Date.now()
  }
  return toNextPass(pass, isCurrent)
}

/** `isCurrent`: the endpoint is still the one that the pass began with. */
function toNextPass(pass: Pass, isCurrent: boolean): NextPass {
  const { state, row } = pass.endpoint
  const { heldUntil } = state
  if (heldUntil !== null && heldUntil > Date.now()) return heldUntil
  const dueAt = nextDueAt(state, row.order, Date.now())
  const isBlocked = row.order === 'strict' && state.waiting.length > 0
  const hasMore = !isBlocked && (pass.outbox.hasMore() || isSpent(pass))
  return hasMore || !isCurrent ? Date.now() : (dueAt ?? 'never')
}

/** Resolves when the first attempt is over, or some time has passed. */
async function soonest(all: readonly Promise<void>[], ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, Math.max(ms, 1))
  await Promise.race([...all, promise])
  clearTimeout(timer)
}

async function loadReceiver(
  { cipher, policy, timeoutMs }: Omit<PassContext, 'db'>,
  { row }: Endpoint,
): Promise<SignedReceiver> {
  const checked = checkAddress(row.url, policy)
  const secrets = await decryptSigningSecrets(cipher, row, Date.now())
  return {
    url: row.url,
    refused: 'url' in checked ? null : `the address ${checked.message}`,
    secrets,
    timeoutMs,
    endsAt: secrets.length > 1 ? (row.previousSecretUntil ?? 0) : Number.POSITIVE_INFINITY,
  }
}
