import { type CallOptions, createCall } from './call/call.ts'
import { createEventFeedClient, type EventsOptions, followEvents } from './events.ts'
import type { TeamEvent } from './generated/shapes.ts'
import { createJobsClient } from './jobs.ts'
import { createMessagesClient } from './messages.ts'
import { type Attributes, createProcessesClient, type Processes } from './processes.ts'
import { createRecordsClient } from './records.ts'
import { createRequestsClient, createUsageClient } from './requests.ts'
import { createPasskeysClient, createSessionClient } from './session.ts'
import { resolveSettings, type Settings } from './settings.ts'
import {
  createApiKeysClient,
  createPluginsClient,
  createProceduresClient,
  createSavedViewsClient,
  createUsersClient,
} from './team.ts'
import type { SortableName } from './typed-query.ts'
import { createWebhooksClient } from './webhooks.ts'

/** Without the types of a team, every name is possible. */
type Untyped = Record<string, { data: Attributes; state: string }>

interface ProcessesBy<Team extends object> {
  /** The processes of a procedure, by its short id, with the types of the team. */
  <Name extends keyof Team & string>(
    procedure: Name,
  ): Team[Name] extends { data: infer Data; state: infer State extends string }
    ? Processes<
        Data,
        State,
        Team[Name] extends { sortable: infer Sortable extends string } ? Sortable : SortableName<Data>
      >
    : never
  /** The same with types of your own: `processes<Lead>('lead')`. */
  <Data extends object = never, State extends string = string>(
    procedure: [Data] extends [never] ? never : string,
  ): Processes<Data, State>
}

/** The client: `caseworker({ baseUrl, token })`, or with the types of a team `caseworker<Procedures>({ … })`. */
export function caseworker<Team extends object = Untyped>(settings: Settings) {
  const call = createCall(resolveSettings(settings))
  return {
    processes: ((procedure: string) => createProcessesClient(call, procedure)) as ProcessesBy<Team>,
    jobs: createJobsClient(call),
    messages: createMessagesClient(call),
    /** The customers that processes are for. */
    records: createRecordsClient(call),
    /** Reads the events of the team, page by page. */
    eventFeed: createEventFeedClient(call),
    procedures: createProceduresClient(call),
    /** Kept queries, with their columns and layout. */
    savedViews: createSavedViewsClient(call),
    users: createUsersClient(call),
    apiKeys: createApiKeysClient(call),
    /** Signing in, in a browser. */
    session: createSessionClient(call),
    passkeys: createPasskeysClient(call),
    plugins: createPluginsClient(call),
    webhooks: createWebhooksClient(call),
    /** Requests by their ids. */
    requests: createRequestsClient(call),
    /** Returns the team's usage of a month, with its cost. */
    usage: createUsageClient(call),
    /** Follows the events of the team: `for await` continues until it is left, or the signal is aborted. */
    events: <Type extends TeamEvent['type'] = TeamEvent['type']>(options: EventsOptions<Type> = {}) =>
      followEvents(call, options),
    /** Returns all ids and short ids of the team. */
    config: async (options?: CallOptions) => (await call('getConfig', {}, options)).data,
    /** Returns the caller: team, user, key, role, permissions, limits. */
    me: async (options?: CallOptions) => (await call('getMe', {}, options)).data,
    health: async (options?: CallOptions) => (await call('getHealth', {}, options)).data,
    /** Any operation by its id. Takes path, query and body; returns data, meta and headers. */
    call,
  }
}
export type Caseworker<Team extends object = Untyped> = ReturnType<typeof caseworker<Team>>

export type { BulkOptions, BulkUpdate, CreateItem, CsvForm, ItemFile, UpdateItem } from './bulk.ts'
export type { Call, CallInput, CallOptions, CallResult, FileContent, OperationId, RequestOptions } from './call/call.ts'
export { CaseworkerError, type Code, type Fault } from './call/error.ts'
export type { EventOf, EventPage, Events, EventsOptions } from './events.ts'
export type { ExportFormat, ExportQuery } from './export.ts'
export type * from './generated/bodies.ts'
export type { ErrorCode, Faults } from './generated/faults.ts'
export type * from './generated/shapes.ts'
export type { EntryStatus, Job, Jobs, WaitOptions } from './jobs.ts'
export type { Messages, MessageWaitOptions, Recipient } from './messages.ts'
export type { Page, Pages } from './pages.ts'
export type { Plan, PlannedAction, PlannedChange, PlannedEntry, PlanOptions, PlanSummary } from './plan.ts'
export type {
  Address,
  Attributes,
  BlameByField,
  ListQuery,
  Moment,
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
export {
  type ReceivedWebhook,
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookTestEvent,
} from './verify-webhook.ts'
