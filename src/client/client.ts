import { type CallOptions, callOn } from './call/call.ts'
import { eventFeedOf } from './event/feed.ts'
import { type EventsOptions, followEvents } from './event/follow.ts'
import type { TeamEvent } from './generated/shapes.ts'
import { jobsOf } from './jobs.ts'
import { messagesOf } from './messages.ts'
import { type Attributes, type Processes, processesOf } from './processes.ts'
import { recordsOf } from './records.ts'
import { passkeysOf, sessionOf } from './session.ts'
import { resolveSettings, type Settings } from './settings.ts'
import { apiKeysOf, pluginsOf, proceduresOf, savedViewsOf, usersOf } from './team.ts'
import { monthlyUsageOf, requestsOf } from './usage/requests.ts'
import { webhooksOf } from './webhook/webhooks.ts'

/** Without the types of a team, every name is possible. */
type Untyped = Record<string, { data: Attributes; state: string }>

interface ProcessesBy<Team extends object> {
  /** The processes of a procedure, by its short id, with the types of the team. */
  <Name extends keyof Team & string>(
    procedure: Name,
  ): Team[Name] extends { data: infer Data; state: infer State extends string } ? Processes<Data, State> : never
  /** The same with types of your own: `processes<Lead>('lead')`. */
  <Data extends object = never, State extends string = string>(
    procedure: [Data] extends [never] ? never : string,
  ): Processes<Data, State>
}

/** The client: `caseworker({ baseUrl, token })`, or with the types of a team `caseworker<Procedures>({ … })`. */
export function caseworker<Team extends object = Untyped>(settings: Settings) {
  const call = callOn(resolveSettings(settings))
  return {
    processes: ((procedure: string) => processesOf(call, procedure)) as ProcessesBy<Team>,
    jobs: jobsOf(call),
    messages: messagesOf(call),
    /** The customers that processes are for. */
    records: recordsOf(call),
    /** What happened in the team, in its order. */
    eventFeed: eventFeedOf(call),
    procedures: proceduresOf(call),
    /** Kept queries, with their columns and layout. */
    savedViews: savedViewsOf(call),
    users: usersOf(call),
    apiKeys: apiKeysOf(call),
    /** Signing in, in a browser. */
    session: sessionOf(call),
    passkeys: passkeysOf(call),
    plugins: pluginsOf(call),
    webhooks: webhooksOf(call),
    /** Requests by their ids. */
    requests: requestsOf(call),
    /** What the team used in a month, and what that costs. */
    usage: monthlyUsageOf(call),
    /** What happens in the team, as it happens: `for await` goes on until it is left, or the signal is aborted. */
    events: <Type extends TeamEvent['type'] = TeamEvent['type']>(options: EventsOptions<Type> = {}) =>
      followEvents(call, options),
    /** All ids and short ids of the team. */
    config: async (options?: CallOptions) => (await call('getConfig', {}, options)).data,
    /** Who calls: team, user, key, role, permissions, limits. */
    me: async (options?: CallOptions) => (await call('getMe', {}, options)).data,
    health: async (options?: CallOptions) => (await call('getHealth', {}, options)).data,
    /** Any operation by its id. Takes path, query and body; returns data, meta and headers. */
    call,
  }
}
export type Caseworker<Team extends object = Untyped> = ReturnType<typeof caseworker<Team>>

export type { Call, CallInput, CallOptions, CallResult, OperationId, RequestOptions } from './call/call.ts'
export { CaseworkerError, type Code, type Fault } from './call/error.ts'
export type { EventOf, EventPage, Events, EventsOptions } from './event/follow.ts'
export type { ExportFormat, ExportQuery } from './exported.ts'
export type * from './generated/bodies.ts'
export type { ErrorCode, Faults } from './generated/faults.ts'
export type * from './generated/shapes.ts'
export type { BlameByField, Moment } from './history/history.ts'
export type { EntryStatus, Job, Jobs } from './jobs.ts'
export type { Messages, Recipient } from './messages.ts'
export type { Page, Pages } from './pages.ts'
export type {
  Address,
  Attributes,
  ListQuery,
  NewestQuery,
  NewProcess,
  Processes,
  ProcessOf,
  TaggedProcess,
  Update,
} from './processes.ts'
export type { CustomerName, MergeOptions, Records, TaggedCustomer } from './records.ts'
export type { CallNote, Fetch, FetchInit, Settings } from './settings.ts'
export type { ComparisonWith, SortBy, Where } from './typed-query.ts'
export type { WaitOptions } from './wait-job.ts'
export type { MessageWaitOptions } from './wait-message.ts'
export {
  type ReceivedWebhook,
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookTestEvent,
} from './webhook/verify-webhook.ts'
