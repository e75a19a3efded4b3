export interface RateLimitSetting {
  name: string
  simple: { limit: number; period: number }
}

const SECOND_MS = 1000

/** The rate limits of wrangler.toml, in the test's own time: those of workerd would count in the real one. */
export function rateLimits(settings: readonly RateLimitSetting[]): Record<string, RateLimit> {
  return Object.fromEntries(settings.map(({ name, simple }) => [name, newRateLimit(simple)]))
}

function newRateLimit({ limit, period }: RateLimitSetting['simple']): RateLimit {
  let span = 0
  let calls = new Map<string, number>()
  return {
    async limit({ key }: { key: string }) {
      const current = Math.floor(Date.now() / (period * SECOND_MS))
      if (current !== span) calls = new Map()
      span = current
      const count = (calls.get(key) ?? 0) + 1
      calls.set(key, count)
      return { success: count <= limit }
    },
  } as RateLimit
}
