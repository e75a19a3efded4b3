import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { app } from '../../src/app.ts'
import { ORIGIN } from './api.ts'
import { withSessions } from './sessions.ts'

type Around = <T>(call: () => Promise<T>) => Promise<T>

/** Lets one of many calls fail, the nth, before or after it took effect. */
export function breakCall(nth: number, isAfter: boolean): { around: Around; hasFailed: () => boolean } {
  let calls = 0
  return {
    async around(call) {
      const fails = ++calls === nth
      if (fails && !isAfter) throw new Error('it is down')
      const result = await call()
      if (fails) throw new Error('it is down')
      return result
    },
    hasFailed: () => calls >= nth,
  }
}

/** A database each of whose round trips goes through `around`. */
export function databaseThrough(around: Around): D1Database {
  const originals = new WeakMap<object, D1PreparedStatement>()
  const wrap = (original: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(original.bind(...values)),
      all: () => around(() => original.all()),
    }
    originals.set(wrapped, original)
    return wrapped as unknown as D1PreparedStatement
  }
  return withSessions({
    prepare: (sql: string) => wrap(env.DB.prepare(sql)),
    batch: (statements: D1PreparedStatement[]) =>
      around(() => env.DB.batch(statements.map(each => originals.get(each) ?? each))),
  })
}

/** Makes one request to the Worker with some of its bindings exchanged. */
export async function requestWith(bindings: Partial<Env>, path: string, init: RequestInit) {
  const ctx = createExecutionContext()
  const response = await app.fetch(new Request(`${ORIGIN}${path}`, init), { ...env, ...bindings }, ctx)
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of a body
  const body = (await response.json()) as any
  await waitOnExecutionContext(ctx)
  return { status: response.status, data: body._data, meta: body._meta, errors: body._errors }
}
