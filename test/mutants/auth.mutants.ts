import type { Mutant } from './mutant.ts'

const AUTH = ['test/auth/auth.test.ts']
const LIMIT = ['test/auth/rate-limit.test.ts']
const MIDDLEWARE = 'src/auth/middleware.ts'
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
    find: 'binding.limit({ key })',
    replace: 'binding.limit({ key: key.slice(0, 0) })',
    tests: LIMIT,
    why: 'One team uses up the calls of all others.',
  },
  {
    name: 'rate limit: a limiter that fails refuses',
    file: 'src/auth/rate-limit.ts',
    find: '  } catch {\n    return true',
    replace: '  } catch {\n    return false',
    tests: LIMIT,
    why: 'Every call is refused while the limiter is down.',
  },
]
