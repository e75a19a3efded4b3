import { type CallOptions, callOn } from './call.ts'
import { jobsOf } from './jobs.ts'
import { messagesOf } from './messages.ts'
import { type Attributes, type Processes, processesOf } from './processes.ts'
import { lineOf, type Settings } from './settings.ts'
import { apiKeysOf, pluginsOf, proceduresOf, usersOf } from './team.ts'

/** What the package exports: `caseworker({ baseUrl, token })`. */
export function caseworker(settings: Settings) {
  const call = callOn(lineOf(settings))
  return {
    /** The processes of a procedure, by its short id. */
    processes: <Data = Attributes>(procedure: string): Processes<Data> => processesOf<Data>(call, procedure),
    jobs: jobsOf(call),
    messages: messagesOf(call),
    procedures: proceduresOf(call),
    users: usersOf(call),
    apiKeys: apiKeysOf(call),
    plugins: pluginsOf(call),
    /** Everything that is needed to resolve an id. */
    config: async (options?: CallOptions) => (await call('getConfig', {}, options)).data,
    health: async (options?: CallOptions) => (await call('getHealth', {}, options)).data,
    /** Any operation by its name in the reference: path, query and body in, data, meta and headers out. */
    call,
  }
}
export type Caseworker = ReturnType<typeof caseworker>

export type { Answered, Call, CallOptions, OperationId, Sent } from './call.ts'
export { CaseworkerError, type Code, type Fault } from './error.ts'
export type * from './generated/bodies.ts'
export type { ErrorCode, Faults } from './generated/faults.ts'
export type * from './generated/shapes.ts'
export type { EntryStatus, Job, Jobs } from './jobs.ts'
export type { Messages, Recipient } from './messages.ts'
export type { Page, Pages } from './pages.ts'
export type {
  Address,
  Attributes,
  Creation,
  Found,
  ListQuery,
  NewestQuery,
  Processes,
  Shown,
  Update,
} from './processes.ts'
export type { CallNote, Fetch, FetchInit, Settings } from './settings.ts'
export type { WaitOptions } from './wait-job.ts'
export type { MessageWaitOptions } from './wait-message.ts'
