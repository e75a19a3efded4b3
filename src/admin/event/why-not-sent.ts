import type { CallResult, TeamEvent, Webhook } from 'caseworker'

type Progress = Pick<CallResult<'listWebhookDeliveries'>['meta'], 'position' | 'hasMore'>

/** The short id of the procedure that an event is about, where the event still shows it. */
export function procedureOf({ data }: Pick<TeamEvent, 'data'>): string | undefined {
  const process: unknown = 'process' in data ? data.process : undefined
  const shortId: unknown =
    typeof process === 'object' && process !== null ? Reflect.get(process, 'procedureShortId') : ''
  return typeof shortId === 'string' && shortId !== '' ? shortId : undefined
}

/** Whether a webhook is told of such events. What is not known of an event excludes nothing. */
export const isToldOf = (
  { types, procedures }: Pick<Webhook, 'types' | 'procedures'>,
  { type }: Pick<TeamEvent, 'type'>,
  procedureId: string | undefined,
): boolean =>
  (types?.some(each => each === type) ?? true) &&
  (procedureId === undefined || (procedures?.includes(procedureId) ?? true))

/** Why no attempt to deliver an event that a webhook is told of was found. */
export function whyNotSent(
  { enabled, createdAt }: Pick<Webhook, 'enabled' | 'createdAt'>,
  { sequence, timestamp }: Pick<TeamEvent, 'sequence' | 'timestamp'>,
  { position, hasMore }: Progress,
): string {
  if (createdAt > Date.parse(timestamp)) return 'The webhook was made after the event'
  if (position < sequence) return enabled ? 'Waits for its turn' : 'The webhook is off'
  if (hasMore) return 'Not among its newest attempts'
  return 'It was not sent: the webhook was off then, or told of other events'
}
