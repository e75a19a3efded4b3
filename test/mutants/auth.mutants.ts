import type { Mutant } from './mutant.ts'

const AUTH = ['test/auth/auth.test.ts']
const LIMIT = ['test/auth/rate-limit.test.ts']
const MIDDLEWARE = 'src/auth/middleware.ts'
const STRANGER = ['test/http/stranger.test.ts']
const STRANGER_LIMIT = 'src/http/request/stranger.ts'
const OPERATIONS = 'src/auth/operations.ts'

export const mutants: readonly Mutant[] = [
  {
    name: 'auth: an expired key',
    file: MIDDLEWARE,
    find: 'owner.expiresAt <= now',
    replace: 'owner.expiresAt < now',
    tests: AUTH,
    why: 'A key works in the millisecond of its expiry.',
  },
  {
    name: 'auth: a revoked key in a busy isolate',
    file: MIDDLEWARE,
    find: 'age < TRUST_MS',
    replace: 'age < 2 * TRUST_MS',
    tests: AUTH,
    why: 'A revoked key works for longer than 30 seconds where nothing refreshes it.',
  },
  {
    name: 'auth: a mistyped token is looked up',
    file: MIDDLEWARE,
    find: 'if (!isWellFormed(token))',
    replace: 'if (token === "")',
    tests: AUTH,
    why: 'Each mistyped token costs a query.',
  },
  {
    name: 'auth: a role that lacks a permission',
    file: MIDDLEWARE,
    find: 'if (!allows(owner.role, permission))',
    replace: 'if (!allows(owner.role, permission) && permission === "key:write")',
    tests: ['test/contract/every-route.test.ts'],
    why: 'A viewer changes processes.',
  },
  {
    name: 'auth: a rotated key lives longer',
    file: OPERATIONS,
    find: 'Math.min(overlapEnds, old.expiresAt ?? overlapEnds)',
    replace: 'overlapEnds',
    tests: AUTH,
    why: 'Rotating a key that is about to expire prolongs it.',
  },
  {
    name: 'auth: the checksum is not compared',
    file: 'src/auth/token.ts',
    find: 'SHAPE.test(token) && token.endsWith(checksum(random))',
    replace: 'SHAPE.test(token)',
    tests: AUTH,
    why: 'A token with one wrong character is looked up.',
  },
  {
    name: 'rate limit: one count for the role',
    file: 'src/auth/rate-limit.ts',
    find: 'isAllowed(bindingOf(env, role), keyId)',
    replace: 'isAllowed(bindingOf(env, role), role)',
    tests: LIMIT,
    why: 'One team uses up the calls of all others.',
  },
  {
    name: 'rate limit: a limiter that fails refuses',
    file: 'src/http/request/limiter.ts',
    find: '  } catch {\n    return true',
    replace: '  } catch {\n    return false',
    tests: LIMIT,
    why: 'Every call is refused while the limiter is down.',
  },
  {
    name: 'strangers: a token that was not found is looked up again',
    file: MIDDLEWARE,
    find: 'if (age >= 0 && age < MISS_MS) return undefined',
    replace: 'if (age < 0) return undefined',
    tests: STRANGER,
    why: 'A client with a wrong token costs a query with each call.',
  },
  {
    name: 'strangers: a token in use is refused with its address',
    file: MIDDLEWARE,
    find: 'known ? await load() : await findUnknownOwner',
    replace: 'known === null ? await load() : await findUnknownOwner',
    tests: STRANGER,
    only: 'read again',
    why: 'Customers behind one address with somebody else are refused.',
  },
  {
    name: 'strangers: good look-ups count',
    file: STRANGER_LIMIT,
    find: 'if (found !== undefined) {',
    replace: 'if (found !== undefined && (await isAllowed(c.env.RATE_STRANGER, key))) {',
    tests: STRANGER,
    why: 'Many customers behind one address limit one another.',
  },
  {
    name: 'strangers: the misses of all addresses are one count',
    file: STRANGER_LIMIT,
    find: 'const key = `${kind} ${address}`',
    replace: 'const key = `${kind} ${address.length}`',
    tests: STRANGER,
    why: 'One stranger shuts out all others.',
  },
]
