import { numberSetting } from '../setting.ts'

/**
 * A call to the provider must end well before its message counts as interrupted: see PENDING_MS_MAX of
 * `message/rules.ts`, which is a minute.
 */
export const PROVIDER_TIMEOUT_MS_MAX = 50_000
const MESSAGES_PER_SECOND_MAX = 10_000

export const providerTimeoutMs = ({ WHATSAPP_TIMEOUT_MS }: { WHATSAPP_TIMEOUT_MS: string }): number =>
  numberSetting('WHATSAPP_TIMEOUT_MS', WHATSAPP_TIMEOUT_MS, PROVIDER_TIMEOUT_MS_MAX)

export const messagesPerSecond = ({ WHATSAPP_MESSAGES_PER_SECOND }: { WHATSAPP_MESSAGES_PER_SECOND: string }): number =>
  numberSetting('WHATSAPP_MESSAGES_PER_SECOND', WHATSAPP_MESSAGES_PER_SECOND, MESSAGES_PER_SECOND_MAX)
