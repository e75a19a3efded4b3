/**
 * The time within which the provider must answer. It is below the 30 seconds after which existing clients give up, so that
 * they learn the result, and well below the minute after which its message counts as interrupted (PENDING_MS_MAX of
 * `message/rules.ts`). No installation could choose better; tests do, by the binding `PROVIDER_TUNING`.
 */
export const PROVIDER_TIMEOUT_MS = 20_000
const MESSAGES_PER_SECOND_MAX = 10_000

/** Reads the setting. A missing or misspelt one would be NaN, which every limit lets pass. */
export function readMessagesPerSecond({
  WHATSAPP_MESSAGES_PER_SECOND,
}: {
  WHATSAPP_MESSAGES_PER_SECOND: string
}): number {
  const number = Number(WHATSAPP_MESSAGES_PER_SECOND)
  if (number > 0 && number <= MESSAGES_PER_SECOND_MAX) return number
  throw new Error(
    `the setting WHATSAPP_MESSAGES_PER_SECOND must be a number above 0 and at most ${MESSAGES_PER_SECOND_MAX}`,
  )
}
