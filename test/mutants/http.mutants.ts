import type { Mutant } from './mutant.ts'

const RECORD = 'src/http/idempotency/record.ts'
const KEY = 'src/http/idempotency/key.ts'
const REPLAY = 'src/http/idempotency/idempotency.ts'
const ETAG = 'src/http/response/etag.ts'
const HTTP = ['test/http/http.test.ts']

export const mutants: readonly Mutant[] = [
  {
    name: 'idempotency: a record without a change',
    file: RECORD,
    find: 'onlyIfChanged ? sql`WHERE changes() > 0` : sql``',
    replace: 'sql``',
    tests: HTTP,
    only: 'an Idempotency-Key',
    why: 'A refused update keeps an outcome without a row, and its repetition is answered with it.',
  },
  {
    name: 'idempotency: yesterday is not asked',
    file: RECORD,
    find: 'guard(KEY_IN_USE, sql`NOT EXISTS (SELECT 1 FROM ${idempotency} WHERE ${ofYesterday(key)})`),',
    replace: '',
    tests: HTTP,
    only: 'an Idempotency-Key',
    why: 'A key that was used before midnight takes effect again after midnight.',
  },
  {
    name: 'idempotency: yesterday is not looked up',
    file: RECORD,
    find: '${numberOf(dayOf(now), lookup)}, ${numberOf(dayOf(now) - 1, lookup)}',
    replace: '${numberOf(dayOf(now), lookup)}',
    tests: HTTP,
    only: 'an Idempotency-Key',
    why: 'A repetition after midnight is answered with a fault instead of the first outcome.',
  },
  {
    name: 'idempotency: remembered too long',
    file: RECORD,
    find: 'expiresAt: now + KEPT_MS,',
    replace: 'expiresAt: now + 2 * KEPT_MS,',
    tests: HTTP,
    only: 'an Idempotency-Key',
    why: 'A key is refused although its 24 hours are over.',
  },
  {
    name: 'idempotency: another request with the key',
    file: REPLAY,
    find: 'if (!isFingerprint(first.fingerprint, await key.fingerprint()))',
    replace: 'if (first.fingerprint === null)',
    tests: HTTP,
    only: 'an Idempotency-Key',
    why: 'Another request with the same key is answered with the outcome of the first one.',
  },
  {
    name: 'idempotency: one key space for the team',
    file: KEY,
    find: 'await digestOf(`${keyId} ${key}`)',
    replace: 'await digestOf(key)',
    tests: HTTP,
    only: 'an Idempotency-Key',
    why: "Two programs with keys of their own take away each other's idempotency keys.",
  },
  {
    name: 'idempotency: the method is not part of the request',
    file: KEY,
    find: '${c.req.method} ${pathname}${search}',
    replace: '${pathname}${search}',
    tests: HTTP,
    only: 'an Idempotency-Key',
    why: 'A DELETE with the key of a PUT is answered as if it had been done.',
  },
  {
    name: 'etag: If-Match is not read',
    file: ETAG,
    find: "if (header === undefined || header.trim() === '*') return undefined",
    replace: 'if (header !== "") return undefined',
    tests: HTTP,
    only: 'an entity tag',
    why: 'A change overwrites what the caller has not seen.',
  },
  {
    name: 'etag: only the first of several tags',
    file: ETAG,
    find: 'tagsOf(header).includes(etag.slice(1, -1))',
    replace: 'tagsOf(header)[0] === etag.slice(1, -1)',
    tests: HTTP,
    only: 'an entity tag',
    why: 'A cache that keeps several versions is sent the one that it has.',
  },
  {
    name: 'addresses: the origin of the request',
    file: 'src/http/public-origin.ts',
    find: 'publicOriginSetting(env) ?? partsOf(req.url).origin',
    replace: 'partsOf(req.url).origin',
    tests: ['test/http/public-origin.test.ts'],
    why: 'A webhook is registered at an address that is switched off later.',
  },
]
