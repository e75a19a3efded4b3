import type { Context } from 'hono'
import { AppError } from '../../errors.ts'
import type { AppEnv } from '../context.ts'
import { toAddressKey } from './address.ts'
import { getSecondsLeft, isAllowed } from './limiter.ts'

/** The periods of `RATE_STRANGER` and of `RATE_MEDIA` in wrangler.toml. */
const UNAUTHENTICATED_PERIOD_SECONDS = 10
const MEDIA_PERIOD_SECONDS = 60
/** The look-ups of one address at a time: misses are counted only when these return. */
const LOOKUPS_AT_ONCE_MAX = 50
const REMEMBERED_MAX = 10_000

const PROVEN_MS = 60_000

/** The time until which a caller over its limit is refused, by kind and address. The binding decides; this saves the work before it. */
const blockedUntil = new Map<string, number>()
const provenAt = new Map<string, number>()
const lookupsByAddress = new Map<string, Set<string>>()

/** An attempt of a caller without valid credentials to use something: a token, a webhook's plugin or signature, a file. */
interface Attempt {
  /** The kind of attempt. The misses of an address are counted for each kind separately. */
  kind: string
  /** The value that is looked up. Many different ones at the same time are refused. */
  lookup?: string
  /** Whether callers who do not trust one another share the address, as the provider's: a valid attempt there is not refused because of the others. */
  isShared?: true
}

/**
 * Runs a look-up that costs the database, the bucket or a large body something, for a caller who is not authenticated yet.
 * Only misses count, so that customers behind one address do not limit one another. Above the limit, nothing is looked up.
 */
export async function lookUpUnauthenticated<Found>(
  c: Context<AppEnv>,
  { kind, lookup, isShared }: Attempt,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const address = findAddress(c)
  // Only Cloudflare's edge sets the header. Without it, callers cannot be told apart.
  if (address === undefined) return find()
  const key = `${kind} ${address}`
  refuseBlocked(key, Date.now())
  const found = await (lookup === undefined ? find() : withFewLookups(address, lookup, find))
  if (found !== undefined) {
    if (isShared) remember(provenAt, key, Date.now())
  } else if (!isProven(key, Date.now()) && !(await isAllowed(c.env.RATE_STRANGER, key))) block(key)
  return found
}

const isProven = (key: string, now: number): boolean => now - (provenAt.get(key) ?? 0) < PROVEN_MS

/** Limits the requests of an address for public files. */
export async function limitMedia(c: Context<AppEnv>): Promise<void> {
  const address = findAddress(c)
  if (address === undefined || (await isAllowed(c.env.RATE_MEDIA, address))) return
  throw tooManyMissesError(getSecondsLeft(MEDIA_PERIOD_SECONDS, Date.now()))
}

const findAddress = (c: Context<AppEnv>): string | undefined => {
  const address = c.req.header('cf-connecting-ip')
  return address === undefined ? undefined : toAddressKey(address)
}

function refuseBlocked(key: string, now: number): void {
  const until = blockedUntil.get(key)
  if (until === undefined) return
  if (until > now) throw tooManyMissesError(Math.ceil((until - now) / 1000))
  blockedUntil.delete(key)
}

function block(key: string): void {
  const now = Date.now()
  remember(blockedUntil, key, now + getSecondsLeft(UNAUTHENTICATED_PERIOD_SECONDS, now) * 1000)
}

function remember(times: Map<string, number>, key: string, time: number): void {
  if (times.size >= REMEMBERED_MAX) times.clear()
  times.set(key, time)
}

async function withFewLookups<Found>(address: string, lookup: string, find: () => Promise<Found>): Promise<Found> {
  const lookups = lookupsByAddress.get(address) ?? new Set()
  if (lookups.size >= LOOKUPS_AT_ONCE_MAX && !lookups.has(lookup)) throw tooManyMissesError(1)
  lookupsByAddress.set(address, lookups.add(lookup))
  try {
    return await find()
  } finally {
    lookups.delete(lookup)
    if (lookups.size === 0) lookupsByAddress.delete(address)
  }
}

const tooManyMissesError = (seconds: number): AppError =>
  new AppError('rate_limited', [
    {
      message: 'too many requests from this address that could not be accepted',
      hint: `try again in ${seconds} seconds`,
      detail: { retryAfterSeconds: seconds },
    },
  ])
