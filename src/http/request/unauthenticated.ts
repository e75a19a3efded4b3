import type { Context } from 'hono'
import { AppError } from '../../errors.ts'
import type { AppEnv } from '../context.ts'
import { toAddressKey } from './address.ts'
import { getSecondsLeft, isAllowed } from './limiter.ts'

/** The period of `RATE_STRANGER` and of `RATE_MEDIA` in wrangler.toml. */
const UNAUTHENTICATED_PERIOD_SECONDS = 10
const MEDIA_PERIOD_SECONDS = 60
/** One address has at most so many look-ups at a time: misses are counted only when they come back. */
const LOOKUPS_AT_ONCE_MAX = 50
const REMEMBERED_MAX = 10_000

const PROVEN_MS = 60_000

/** Until when a caller over its limit is refused, by kind and address. The binding decides; this saves what comes before. */
const blockedUntil = new Map<string, number>()
const provenAt = new Map<string, number>()
const lookupsByAddress = new Map<string, Set<string>>()

/** What a caller who has not proven anything asks for: a token, a webhook's plugin or signature, a file. */
interface Attempt {
  /** The misses of an address are counted for each kind by itself. */
  kind: string
  /** What is looked up, where many different ones at the same time are refused. */
  lookup?: string
  /** The address serves callers who do not trust one another, as the provider's do: who has proven himself there is not refused for the rest. */
  isShared?: true
}

/**
 * Does what costs the database, the bucket or a large body something for a caller who is not known yet. Only misses count,
 * so that many customers behind one address do not limit one another; above the limit nothing is done at all.
 */
export async function lookUpUnauthenticated<Found>(
  c: Context<AppEnv>,
  { kind, lookup, isShared }: Attempt,
  find: () => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const address = findAddress(c)
  // Only Cloudflare's edge sets the header: without it nobody can be told from anybody.
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

/** Counts each request of an address for a public file. */
export async function limitMedia(c: Context<AppEnv>): Promise<void> {
  const address = findAddress(c)
  if (address === undefined || (await isAllowed(c.env.RATE_MEDIA, address))) return
  throw tooMany(getSecondsLeft(MEDIA_PERIOD_SECONDS, Date.now()))
}

const findAddress = (c: Context<AppEnv>): string | undefined => {
  const address = c.req.header('cf-connecting-ip')
  return address === undefined ? undefined : toAddressKey(address)
}

function refuseBlocked(key: string, now: number): void {
  const until = blockedUntil.get(key)
  if (until === undefined) return
  if (until > now) throw tooMany(Math.ceil((until - now) / 1000))
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
  if (lookups.size >= LOOKUPS_AT_ONCE_MAX && !lookups.has(lookup)) throw tooMany(1)
  lookupsByAddress.set(address, lookups.add(lookup))
  try {
    return await find()
  } finally {
    lookups.delete(lookup)
    if (lookups.size === 0) lookupsByAddress.delete(address)
  }
}

const tooMany = (seconds: number): AppError =>
  new AppError('rate_limited', [
    {
      message: 'too many requests from this address that could not be accepted',
      hint: `try again in ${seconds} seconds`,
      detail: { retryAfterSeconds: seconds },
    },
  ])
