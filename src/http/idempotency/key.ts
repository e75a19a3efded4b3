import type { Context } from 'hono'
import { invalid } from '../../errors.ts'
import type { AppEnv } from '../context.ts'
import { pointer } from '../request/faults.ts'

const KEY_LENGTH_MAX = 255
const PRINTABLE = /^[\x21-\x7e]+$/

const digest = async (bytes: ArrayBuffer | string): Promise<string> => {
  const data = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', data))
  return Array.from(hash, byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Who asked, under which key, and a digest of what was asked. */
export interface IdempotencyKey {
  team: number
  lookup: string
  fingerprint: string
  now: number
}

/** The request's idempotency key, if it sent one; quoted (as the IETF draft has it) or bare (as most clients send it). */
export async function readKey(c: Context<AppEnv>): Promise<IdempotencyKey | undefined> {
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
  const { scope, keyId } = c.var
  const { pathname, search } = new URL(c.req.url)
  const body = await digest(await c.req.arrayBuffer())
  return {
    team: scope.team.no,
    lookup: await digest(`${keyId} ${key}`),
    fingerprint: await digest(`${c.req.method} ${pathname}${search}\n${body}`),
    now: scope.now,
  }
}
