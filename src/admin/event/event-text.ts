import type { CallResult, Procedure, Process, TeamEvent, Webhook } from 'caseworker'
import { formatProcessName } from '../api/procedure.ts'
import { formatPhone } from '../parts/message/phone-number.ts'

interface Change {
  field: string
  to: unknown
}
const CHANGES_SHOWN = 3

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const changesIn = (data: Record<string, unknown>): string =>
  (Array.isArray(data.changes) ? (data.changes as Change[]) : [])
    .slice(0, CHANGES_SHOWN)
    .map(({ field, to }) => `${field} → ${typeof to === 'string' ? to : JSON.stringify(to)}`)
    .join(', ')

/** The customer's number of a message; an erased one has none. */
function getPhoneNumber(message: unknown): string {
  const context = isObject(message) && isObject(message.context) ? message.context : {}
  return typeof context.contactIdentifier === 'string' ? formatPhone(context.contactIdentifier) : ''
}

type ProcedureNames = Pick<Procedure, 'shortId' | 'name' | 'primaryKey'>

/** The procedure and the primary key of a process. */
function formatProcess(process: unknown, procedures: readonly ProcedureNames[]): string {
  if (!isObject(process) || typeof process.procedureShortId !== 'string') return ''
  const procedure = procedures.find(({ shortId }) => shortId === process.procedureShortId)
  return procedure && isObject(process.data)
    ? `${procedure.name} ${formatProcessName(procedure, process as unknown as Process)}`
    : process.procedureShortId
}

/** Describes in a few words which process an event is about, what changed, whose message it is, or how a job ended. */
export function describeSubject({ data }: TeamEvent, procedures: readonly ProcedureNames[]): string {
  const all: unknown = data
  if (!isObject(all)) return ''
  const { process, message, backgroundJob: job } = all
  const status = isObject(message) && typeof all.to === 'string' ? `${String(all.from)} → ${all.to}` : ''
  const outcome = isObject(job)
    ? [job.title, job.statusMessage].filter(each => typeof each === 'string').join(': ')
    : ''
  return [formatProcess(process, procedures), changesIn(all), getPhoneNumber(message), status, outcome]
    .filter(Boolean)
    .join(' · ')
}

/** The short id of the procedure that an event is about, where the event still shows it. */
export function getProcedureShortId({ data }: Pick<TeamEvent, 'data'>): string | undefined {
  const process: unknown = 'process' in data ? data.process : undefined
  const shortId: unknown =
    typeof process === 'object' && process !== null ? Reflect.get(process, 'procedureShortId') : ''
  return typeof shortId === 'string' && shortId !== '' ? shortId : undefined
}

/** Returns whether a webhook receives such events, as the server decides. Members that an event lacks exclude nothing. */
export const isSubscribed = (
  { types, procedures }: Pick<Webhook, 'types' | 'procedures'>,
  { type }: Pick<TeamEvent, 'type'>,
  procedureId: string | undefined,
): boolean =>
  (types?.some(each => each === type) ?? true) &&
  (procedureId === undefined || (procedures?.includes(procedureId) ?? true))

type Progress = Pick<CallResult<'listWebhookDeliveries'>['meta'], 'position' | 'hasMore'>

/** Explains why a webhook that receives such events has no attempt for this one. */
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
