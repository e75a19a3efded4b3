import type { Call, CallInput, CallOptions, CallResult, FileBody, FileContent } from './call/call.ts'
import { invalidCall } from './call/error.ts'
import type { BulkUpdateProcessesBody, BulkUpdateProcessesQuery } from './generated/bodies.ts'
import { createJobsClient, type Job, toDryRunQuery, toJob } from './jobs.ts'
import { type BatchLimits, packLines } from './pack-lines.ts'
import { loadPlan, type Plan, type PlanOptions } from './plan.ts'
import type { Attributes, ChangedValues, NewProcess, Update } from './processes.ts'
import type { IsOpen, NamesWith, Where } from './typed-query.ts'

type Many<Item> = Iterable<Item> | AsyncIterable<Item>

/**
 * A file that is sent unchanged: CSV in the form of the API, or an item in each line. A text or a Blob is sent again if
 * a try fails. Content that can be read only once, such as a stream, is sent once.
 */
export type ItemFile = (CsvForm & { csv: FileContent }) | { ndjson: FileContent }

/** The format of a CSV file, for what the API cannot detect. */
export interface CsvForm extends Omit<BulkUpdateProcessesQuery, 'dryRun'> {
  /** The default is what its bytes say: UTF-8, UTF-16 with a mark, or Windows-1252. */
  charset?: string | undefined
}

/** Names a process by `id` or by the primary key's short id. The changes are in `update` or next to the identifier. */
export type UpdateItem<Data, State extends string = string> = Keyed<Data> & {
  id?: string | undefined
  update?: BulkUpdate<Data, State> | undefined
} & (IsOpen<Data> extends true ? unknown : BulkUpdate<Data, State>)
/** The primary key may also be given next to `data`. */
export type CreateItem<Data, State extends string = string> = Keyed<Data> &
  Omit<NewProcess<Data, State>, 'data'> & { data?: ChangedValues<Data> | undefined }

export type BulkUpdate<Data, State extends string = string> = Update<Data, State> & { isDeleted?: boolean | undefined }
type Keyed<Data> = IsOpen<Data> extends true ? Attributes : Partial<Pick<Data, NamesWith<string | number, Data>>>

/** Confirmations of a dangerous query that selects what is changed. Without them it is refused. */
export interface Consent {
  /** Confirms a query that matches every process, such as `{}`. */
  all?: boolean | undefined
  /** Confirms names of attributes that the procedure does not declare, in the query or the update. */
  allowUndeclared?: boolean | undefined
}

export interface BulkOptions extends CallOptions {
  /** The job changes nothing: its entries say what they would change. `jobs.apply` makes the changes. */
  dryRun?: boolean | undefined
}

/** Bulk requests, as background jobs: each entry takes effect exactly once, and has a result of its own. */
export interface Bulk<Data, State extends string = string> {
  /** Changes up to 1,000,000 items or 100 MB in one job. More are refused before anything is sent. */
  bulkUpdate: (items: Many<UpdateItem<Data, State>> | ItemFile, options?: BulkOptions) => Promise<Job>
  bulkCreate: (items: Many<CreateItem<Data, State>> | ItemFile, options?: BulkOptions) => Promise<Job>
  /** Creates each process, or updates the one that has its primary key. */
  bulkUpsert: (items: Many<CreateItem<Data, State>> | ItemFile, options?: BulkOptions) => Promise<Job>
  /** Updates or deletes all processes that match a query. */
  bulkUpdateWhere: (
    where: Where<Data, State>,
    update: BulkUpdate<Data, State>,
    options?: BulkOptions & Consent,
  ) => Promise<Job>
  /** Makes a dry run of `bulkUpdate`. Resolves when it has ended; nothing is changed before `apply`. */
  planUpdate: (items: Many<UpdateItem<Data, State>> | ItemFile, options?: PlanOptions) => Promise<Plan>
  planCreate: (items: Many<CreateItem<Data, State>> | ItemFile, options?: PlanOptions) => Promise<Plan>
  planUpsert: (items: Many<CreateItem<Data, State>> | ItemFile, options?: PlanOptions) => Promise<Plan>
  planUpdateWhere: (
    where: Where<Data, State>,
    update: BulkUpdate<Data, State>,
    options?: PlanOptions & Consent,
  ) => Promise<Plan>
  /** Any number of items, as several jobs if needed. Items are read lazily: each job is sent before the next is read. */
  bulkUpdateInJobs: (
    items: Many<UpdateItem<Data, State>>,
    options?: BulkOptions & BatchLimits,
  ) => AsyncGenerator<Job, void, undefined>
  bulkCreateInJobs: (
    items: Many<CreateItem<Data, State>>,
    options?: BulkOptions & BatchLimits,
  ) => AsyncGenerator<Job, void, undefined>
  bulkUpsertInJobs: (
    items: Many<CreateItem<Data, State>>,
    options?: BulkOptions & BatchLimits,
  ) => AsyncGenerator<Job, void, undefined>
}

type BulkOperation = 'bulkUpdateProcesses' | 'bulkCreateProcesses' | 'bulkUpsertProcesses'
type SendBulk = (body: BulkFile, options?: BulkOptions) => Promise<Job>
/** The body of a file, with the query for its format. */
type BulkFile = FileBody & { query?: Omit<BulkUpdateProcessesQuery, 'dryRun'> }

export function createBulkClient<Data, State extends string>(call: Call, procedure: string): Bulk<Data, State> {
  const path = { procedureShortId: procedure }
  const jobs = createJobsClient(call)
  const sendTo =
    <Operation extends BulkOperation>(operation: Operation): SendBulk =>
    async (body, { dryRun, ...options } = {}) => {
      const query = { ...body.query, ...toDryRunQuery(dryRun) }
      const input = { path, body, query } as unknown as CallInput<Operation>
      return toJob((await call(operation, input, options)) as CallResult<BulkOperation>)
    }
  const [update, create, upsert] = [
    sendTo('bulkUpdateProcesses'),
    sendTo('bulkCreateProcesses'),
    sendTo('bulkUpsertProcesses'),
  ]
  const plan = async (
    send: SendBulk,
    items: Many<unknown> | ItemFile,
    { onProgress, ...options }: PlanOptions = {},
  ) => {
    const { id } = await send(await toBody(items), { ...options, dryRun: true })
    return loadPlan(jobs, id, { ...options, onProgress })
  }
  const bulkUpdateWhere: Bulk<Data, State>['bulkUpdateWhere'] = async (
    where,
    changes,
    { all, allowUndeclared, dryRun, ...options } = {},
  ) => {
    // The types of the attributes narrow what the API takes.
    const body = { where, update: changes, all, allowUndeclared } as BulkUpdateProcessesBody
    return toJob(await call('bulkUpdateProcesses', { path, body, query: toDryRunQuery(dryRun) }, options))
  }
  return {
    bulkUpdate: async (items, options) => update(await toBody(items), options),
    bulkCreate: async (items, options) => create(await toBody(items), options),
    bulkUpsert: async (items, options) => upsert(await toBody(items), options),
    bulkUpdateWhere,
    planUpdate: (items, options) => plan(update, items, options),
    planCreate: (items, options) => plan(create, items, options),
    planUpsert: (items, options) => plan(upsert, items, options),
    planUpdateWhere: async (where, changes, { onProgress, ...options } = {}) => {
      const { id } = await bulkUpdateWhere(where, changes, { ...options, dryRun: true })
      return loadPlan(jobs, id, { ...options, onProgress })
    },
    bulkUpdateInJobs: (items, options) => sendInJobs(items, update, options),
    bulkCreateInJobs: (items, options) => sendInJobs(items, create, options),
    bulkUpsertInJobs: (items, options) => sendInJobs(items, upsert, options),
  }
}

/** The bodies that a file takes, each sent as a job before the next one is read. With a key of the caller, each has its own. */
export async function* importInJobs(
  bulk: Pick<Bulk<Record<string, unknown>, string>, 'bulkCreate' | 'bulkUpdate' | 'bulkUpsert'>,
  mode: 'create' | 'update' | 'upsert',
  files: AsyncIterable<ItemFile>,
  { idempotencyKey, ...options }: BulkOptions,
): AsyncGenerator<Job, void, undefined> {
  const send = { create: bulk.bulkCreate, update: bulk.bulkUpdate, upsert: bulk.bulkUpsert }[mode]
  let number = 0
  for await (const file of files) {
    number += 1
    yield await send(file, { ...options, ...numberKey(idempotencyKey, number) })
  }
}

/** Each further job of one call has a key of its own, the same in a second run: what is there already is not sent anew. */
const numberKey = (key: string | undefined, number: number): Pick<CallOptions, 'idempotencyKey'> =>
  key === undefined ? {} : { idempotencyKey: `${key}-${number}` }

async function toBody(items: Many<unknown> | ItemFile): Promise<BulkFile> {
  if ('csv' in items) {
    const { csv, charset, ...query } = items
    return { mediaType: charset === undefined ? 'text/csv' : `text/csv; charset=${charset}`, content: csv, query }
  }
  return 'ndjson' in items ? toLines(items.ndjson) : toLines(await getOnlyBatch(items))
}

const toLines = (content: FileContent): BulkFile => ({ mediaType: 'application/x-ndjson', content })

/** The only batch of the items. Throws if they do not fit into one request. */
async function getOnlyBatch(items: Many<unknown>): Promise<Blob> {
  const batches = splitBatches(items)
  const first = await batches.next()
  if (first.done) throw invalidCall('there are no items', 'bulk')
  if (!(await batches.next()).done)
    throw invalidCall('more items than a job takes: use bulkUpdateInJobs, bulkCreateInJobs or bulkUpsertInJobs', 'bulk')
  return first.value
}

/**
 * Sends items in as many jobs as they need. With a key of the caller, each job's key is derived from it and the number
 * of the job.
 */
async function* sendInJobs(
  items: Many<unknown>,
  send: SendBulk,
  { entriesMax, bytesMax, idempotencyKey, ...options }: BulkOptions & BatchLimits = {},
): AsyncGenerator<Job, void, undefined> {
  let number = 0
  for await (const batch of splitBatches(items, { entriesMax, bytesMax })) {
    number += 1
    yield await send(toLines(batch), { ...options, ...numberKey(idempotencyKey, number) })
  }
}

/** Packs items into the lines of as few requests as the limits allow. */
export async function* splitBatches(
  items: Many<unknown>,
  limits: BatchLimits = {},
): AsyncGenerator<Blob, void, undefined> {
  async function* lines() {
    for await (const item of items) yield { text: `${JSON.stringify(item)}\n` }
  }
  yield* packLines(lines(), limits)
}
