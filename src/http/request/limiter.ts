/** Whether the platform's limiter allows one more of a key. When the binding fails, the call is allowed. */
export async function isAllowed(binding: RateLimit, key: string): Promise<boolean> {
  try {
    return (await binding.limit({ key })).success
  } catch {
    return true
  }
}

/** The seconds until a span of the limiter ends. Cloudflare counts in spans of 10 or 60 seconds. */
export const getSecondsLeft = (periodSeconds: 10 | 60, now: number): number =>
  periodSeconds - (Math.floor(now / 1000) % periodSeconds)
