import { type BatchLimits, batchesOf } from './batches.ts'
import type { Call, CallOptions, JsonText } from './call/call.ts'
import { invalidCall } from './call/error.ts'
import type { BulkCreateProcessesBody, BulkUpdateProcessesBody } from './generated/bodies.ts'
import { type Job, jobOf } from './jobs.ts'
import type { Attributes, NewProcess, Update } from './processes.ts'
import type { Where } from './typed-query.ts'

type Many<Item> = Iterable<Item> | AsyncIterable<Item>

/** Names a process by `id` or by the primary key's short id. The changes are in `update` or next to the identifier. */
export type UpdateItem<Data, State extends string = string> = Attributes & {
  id?: string | undefined
  update?: (Update<Data, State> & { isDeleted?: boolean | undefined }) | undefined
}
/** The primary key may also be given next to `data`. */
export type CreateItem<Data, State extends string = string> = NewProcess<Data, State> & Attributes

/** What a query may be that decides what is changed. Otherwise it is refused. */
export interface Consent {
  /** It matches every process, as `{}` does. */
  all?: boolean | undefined
  /** It names an attribute that the procedure does not declare, or the update does. */
  allowUndeclared?: boolean | undefined
}

/** Bulk requests, as background jobs: each entry takes effect exactly once, and has a result of its own. */
export interface Bulk<Data, State extends string = string> {
  /** One job. Too many items are refused before anything is sent. */
  bulkUpdate: (items: Many<UpdateItem<Data, State>>, options?: CallOptions) => Promise<Job>
  bulkCreate: (items: Many<CreateItem<Data, State>>, options?: CallOptions) => Promise<Job>
  /** Updates all processes that match a query. */
  bulkUpdateWhere: (
    where: Where<Data, State>,
    update: Update<Data, State>,
    options?: CallOptions & Consent,
  ) => Promise<Job>
  /** Any number of items, as several jobs if needed. Items are read lazily: each job is sent before the next is read. */
  bulkUpdateInJobs: (
    items: Many<UpdateItem<Data, State>>,
    options?: CallOptions & BatchLimits,
  ) => AsyncGenerator<Job, void, undefined>
  bulkCreateInJobs: (
    items: Many<CreateItem<Data, State>>,
    options?: CallOptions & BatchLimits,
  ) => AsyncGenerator<Job, void, undefined>
}

export function bulkOf<Data, State extends string>(call: Call, procedure: string): Bulk<Data, State> {
  const path = { procedureShortId: procedure }
  const update = async (body: JsonText, options?: CallOptions) =>
    jobOf(await call('bulkUpdateProcesses', { path, body: body as unknown as BulkUpdateProcessesBody }, options))
  const create = async (body: JsonText, options?: CallOptions) =>
    jobOf(await call('bulkCreateProcesses', { path, body: body as unknown as BulkCreateProcessesBody }, options))
  return {
    bulkUpdate: async (items, options) => update(await onlyBatchOf(items), options),
    bulkCreate: async (items, options) => create(await onlyBatchOf(items), options),
    bulkUpdateWhere: async (where, changes, { all, allowUndeclared, ...options } = {}) => {
      // The types of the attributes narrow what the API takes.
      const body = { where, update: changes, all, allowUndeclared } as BulkUpdateProcessesBody
      return jobOf(await call('bulkUpdateProcesses', { path, body }, options))
    },
    bulkUpdateInJobs: (items, options) => inJobs(items, update, options),
    bulkCreateInJobs: (items, options) => inJobs(items, create, options),
  }
}

/** The only batch of the items. Throws if they do not fit into one request. */
async function onlyBatchOf(items: Many<unknown>): Promise<JsonText> {
  const batches = batchesOf(items)
  const first = await batches.next()
  if (first.done) throw invalidCall('there are no items', 'bulk')
  if (!(await batches.next()).done)
    throw invalidCall('more items than a job takes: use bulkUpdateInJobs or bulkCreateInJobs', 'bulk')
  return first.value
}

/** With a key of the caller, each job's key is derived from it and the number of the job. */
async function* inJobs(
  items: Many<unknown>,
  send: (body: JsonText, options?: CallOptions) => Promise<Job>,
  { entriesMax, bytesMax, idempotencyKey, ...options }: CallOptions & BatchLimits = {},
): AsyncGenerator<Job, void, undefined> {
  let number = 0
  for await (const batch of batchesOf(items, { entriesMax, bytesMax })) {
    number += 1
    yield await send(batch, {
      ...options,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey: `${idempotencyKey}-${number}` }),
    })
  }
}
