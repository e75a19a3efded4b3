import { type BatchLimits, batchesOf } from './batches.ts'
import type { Call, CallOptions, JsonText } from './call.ts'
import type { BulkCreateProcessesBody, BulkUpdateProcessesBody, Query } from './generated/bodies.ts'
import { type Job, jobOf } from './jobs.ts'
import type { Attributes, Creation, Update } from './processes.ts'

type Many<Item> = Iterable<Item> | AsyncIterable<Item>

/** Names a process by `id` or by the primary key's short id; what changes stands in `update`, or beside the name. */
export type UpdateItem<Data> = Attributes & {
  id?: string | undefined
  update?: (Update<Data> & { isDeleted?: boolean | undefined }) | undefined
}
/** The primary key may stand beside `data`. */
export type CreateItem<Data> = Creation<Data> & Attributes

/** Many processes at once, as background jobs: each entry takes effect exactly once, and has a result of its own. */
export interface Bulk<Data> {
  /** One job. More items than one takes are refused before anything is sent. */
  bulkUpdate: (items: Many<UpdateItem<Data>>, options?: CallOptions) => Promise<Job>
  bulkCreate: (items: Many<CreateItem<Data>>, options?: CallOptions) => Promise<Job>
  /** Changes everything that a query matches. */
  bulkUpdateWhere: (where: Query, update: Update<Data>, options?: CallOptions) => Promise<Job>
  /** Any number of items, read as they are needed: as many jobs as it takes, each handed over before the next is read. */
  bulkUpdateInJobs: (
    items: Many<UpdateItem<Data>>,
    options?: CallOptions & BatchLimits,
  ) => AsyncGenerator<Job, void, undefined>
  bulkCreateInJobs: (
    items: Many<CreateItem<Data>>,
    options?: CallOptions & BatchLimits,
  ) => AsyncGenerator<Job, void, undefined>
}

export function bulkOf<Data>(call: Call, procedure: string): Bulk<Data> {
  const path = { procedureShortId: procedure }
  const update = async (body: JsonText, options?: CallOptions) =>
    jobOf(await call('bulkUpdateProcesses', { path, body: body as unknown as BulkUpdateProcessesBody }, options))
  const create = async (body: JsonText, options?: CallOptions) =>
    jobOf(await call('bulkCreateProcesses', { path, body: body as unknown as BulkCreateProcessesBody }, options))
  return {
    bulkUpdate: async (items, options) => update(await onlyBatchOf(items), options),
    bulkCreate: async (items, options) => create(await onlyBatchOf(items), options),
    bulkUpdateWhere: async (where, changes, options) =>
      jobOf(await call('bulkUpdateProcesses', { path, body: { where, update: changes } }, options)),
    bulkUpdateInJobs: (items, options) => inJobs(items, update, options),
    bulkCreateInJobs: (items, options) => inJobs(items, create, options),
  }
}

/** Nothing is sent until it is known that everything fits into one request. */
async function onlyBatchOf(items: Many<unknown>): Promise<JsonText> {
  const batches = batchesOf(items)
  const first = await batches.next()
  if (first.done) throw new RangeError('there are no items')
  if (!(await batches.next()).done)
    throw new RangeError('more items than a job takes: use bulkUpdateInJobs or bulkCreateInJobs')
  return first.value
}

/** A key of the caller's own stands for the whole: each job's key is made of it and of the job's number. */
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
