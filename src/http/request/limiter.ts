/** Asks the platform's rate limiter about one more call of a key. If the binding fails, the call is allowed. */
export async function isAllowed(binding: RateLimit, key: string): Promise<boolean> {
  try {
    return (await binding.limit({ key })).success
  } catch {
    return true
  }
}

/** Returns the seconds until a period of the limiter ends. Cloudflare counts in periods of 10 or 60 seconds. */
export const getSecondsLeft = (periodSeconds: 10 | 60, now: number): number =>
  periodSeconds - (Math.floor(now / 1000) % periodSeconds)
