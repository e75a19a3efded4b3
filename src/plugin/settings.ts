/**
 * A call to the provider must end well before its message counts as interrupted: see PENDING_MS_MAX of
 * `message/rules.ts`, which is a minute.
 */
export const PROVIDER_TIMEOUT_MS_MAX = 50_000
/**
 * How long the provider's answer is waited for: below the 30 seconds after which existing clients give up, so that they
 * are told what became of it. No installation sets another; tests do.
 */
const PROVIDER_TIMEOUT_MS = '20000'
const MESSAGES_PER_SECOND_MAX = 10_000

export interface ProviderTimeoutVars {
  WHATSAPP_TIMEOUT_MS?: string
}

export const providerTimeoutMs = ({ WHATSAPP_TIMEOUT_MS = PROVIDER_TIMEOUT_MS }: ProviderTimeoutVars): number =>
  numberSetting('WHATSAPP_TIMEOUT_MS', WHATSAPP_TIMEOUT_MS, PROVIDER_TIMEOUT_MS_MAX)

export const messagesPerSecond = ({ WHATSAPP_MESSAGES_PER_SECOND }: { WHATSAPP_MESSAGES_PER_SECOND: string }): number =>
  numberSetting('WHATSAPP_MESSAGES_PER_SECOND', WHATSAPP_MESSAGES_PER_SECOND, MESSAGES_PER_SECOND_MAX)

/** One that is missing or misspelt would be NaN, which every limit lets pass. */
function numberSetting(name: string, value: string | undefined, max: number): number {
  const number = Number(value)
  if (number > 0 && number <= max) return number
  throw new Error(`the setting ${name} must be a number above 0 and at most ${max}`)
}
