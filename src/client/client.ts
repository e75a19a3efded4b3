import { type CallOptions, callOn } from './call/call.ts'
import { jobsOf } from './jobs.ts'
import { messagesOf } from './messages.ts'
import { type Attributes, type Processes, processesOf } from './processes.ts'
import { resolveSettings, type Settings } from './settings.ts'
import { apiKeysOf, pluginsOf, proceduresOf, usersOf } from './team.ts'

/** The client: `caseworker({ baseUrl, token })`. */
export function caseworker(settings: Settings) {
  const call = callOn(resolveSettings(settings))
  return {
    /** The processes of a procedure, by its short id. */
    processes: <Data = Attributes>(procedure: string): Processes<Data> => processesOf<Data>(call, procedure),
    jobs: jobsOf(call),
    messages: messagesOf(call),
    procedures: proceduresOf(call),
    users: usersOf(call),
    apiKeys: apiKeysOf(call),
    plugins: pluginsOf(call),
    /** All ids and short ids of the team. */
    config: async (options?: CallOptions) => (await call('getConfig', {}, options)).data,
    health: async (options?: CallOptions) => (await call('getHealth', {}, options)).data,
    /** Any operation by its id. Takes path, query and body; returns data, meta and headers. */
    call,
  }
}
export type Caseworker = ReturnType<typeof caseworker>

export type { Call, CallInput, CallOptions, CallResult, OperationId } from './call/call.ts'
export { CaseworkerError, type Code, type Fault } from './call/error.ts'
export type * from './generated/bodies.ts'
export type { ErrorCode, Faults } from './generated/faults.ts'
export type * from './generated/shapes.ts'
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
export type { CallNote, Fetch, FetchInit, Settings } from './settings.ts'
export type { WaitOptions } from './wait-job.ts'
export type { MessageWaitOptions } from './wait-message.ts'
