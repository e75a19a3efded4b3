import type { Context } from 'hono'
import { invalid } from '../../errors.ts'
import type { AppEnv } from '../context.ts'
import { computeDigest } from '../digest.ts'
import { pointer } from '../request/faults.ts'

const KEY_LENGTH_MAX = 255
const PRINTABLE = /^[\x21-\x7e]+$/

/** An idempotency key of a team, with a digest of the request. */
export interface IdempotencyKey {
  team: number
  lookup: string
  /** Computes the digest, after the end of a body that is read as a stream. */
  fingerprint: () => Promise<string>
  now: number
}

/** Reads the request's idempotency key, if it sent one: quoted as in the IETF draft, or bare as most clients send it. */
export async function readKey(
  c: Context<AppEnv>,
  digestBody: () => Promise<string>,
): Promise<IdempotencyKey | undefined> {
  const sent = c.req.header('idempotency-key')
  if (sent === undefined) return undefined
  const key = /^"(.*)"$/.exec(sent)?.[1] ?? sent
  if (key.length > KEY_LENGTH_MAX || !PRINTABLE.test(key))
    throw invalid([
      {
        message: `the idempotency key must be 1 to ${KEY_LENGTH_MAX} printable characters`,
        path: pointer('header', 'idempotency-key'),
      },
    ])
  const { scope, callerId } = c.var
  const { pathname, search } = new URL(c.req.url)
  let made: Promise<string> | undefined
  const makeFingerprint = async () => computeDigest(`${c.req.method} ${pathname}${search}\n${await digestBody()}`)
  return {
    team: scope.team.no,
    lookup: await computeDigest(`${callerId} ${key}`),
    fingerprint: () => (made ??= makeFingerprint()),
    now: scope.now,
  }
}
