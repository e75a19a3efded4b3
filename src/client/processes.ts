import { type AggregateMethods, createAggregateClient } from './aggregate.ts'
import { type Bulk, createBulkClient } from './bulk.ts'
import { type Call, type CallOptions, toTagged } from './call/call.ts'
import { invalidCall } from './call/error.ts'
import { createExportClient, type ExportMethods } from './export.ts'
import type {
  CreateProcessBody,
  ListNewestProcessesQuery,
  ListProcessesBody,
  UpdateProcessByIdBody,
} from './generated/bodies.ts'
import type { Blame, DeletedProcess, Process, ProcessHistoryEntry, PurgedProcess } from './generated/shapes.ts'
import { type Pages, type Paging, paginate } from './pages.ts'
import type { IsOpen, NamesWith, SortableName, SortBy, Where } from './typed-query.ts'

/** The attributes of a process by short id. Declare your own to have them typed: `processes<{ score: number }>('lead')`. */
export type Attributes = Record<string, unknown>

/** A process by its id, or by its primary key: `{ lead_id: 'LEAD-7' }`. */
export type Address<Data = Attributes> =
  | string
  | (IsOpen<Data> extends true ? AnyKey : Partial<Pick<Data, KeyOf<Data>>>)
type AnyKey = Record<string, string | number>
type KeyOf<Data> = NamesWith<string | number, Data>

/** A process with typed attributes and states. */
export type ProcessOf<Data, State extends string = string> = Omit<Process, 'data' | 'state'> & {
  data: Data
  state: State
}
/** A process with its entity tag. The tag is not enumerable, so it is not printed, copied or sent back. */
export type TaggedProcess<Data, State extends string = string> = ProcessOf<Data, State> & { readonly etag: string }

/** The attributes that every process has: those that are declared without `?`. */
export type RequiredName<Data> =
  IsOpen<Data> extends true
    ? never
    : { [Name in keyof Data]-?: Record<never, never> extends Pick<Data, Name> ? never : Name }[keyof Data]
/** A change of some: `null` removes an attribute, unless it is required. */
export type ChangedValues<Data> = {
  [Name in keyof Data]?: Data[Name] | (Name extends RequiredName<Data> ? never : null) | undefined
}
type NewValues<Data> = Pick<Data, RequiredName<Data>> & Omit<ChangedValues<Data>, RequiredName<Data>>

export type Update<Data, State extends string = string> = Omit<UpdateProcessByIdBody, 'data' | 'state'> & {
  data?: ChangedValues<Data> | undefined
  state?: State | undefined
}
type RootOfNew<State> = Omit<CreateProcessBody, 'data' | 'state'> & { state?: State | undefined }
export type NewProcess<Data, State extends string = string> = RootOfNew<State> &
  ([RequiredName<Data>] extends [never] ? { data?: ChangedValues<Data> | undefined } : { data: NewValues<Data> })
/** Named by the primary key in `data`. A new process also needs the required attributes. */
export type Upsert<Data, State extends string = string> = RootOfNew<State> &
  (IsOpen<Data> extends true ? { data?: ChangedValues<Data> | undefined } : { data: ChangedValues<Data> })

/** With `ifMatch`, the process is changed only if it still has this entity tag. */
export interface Conditional extends CallOptions {
  ifMatch?: string | undefined
}

/** With `force`, the revert ignores the allowed transitions; it needs the permission `process:override`. */
export interface RevertOptions extends Conditional {
  force?: boolean | undefined
}

/** A time (epoch milliseconds, ISO 8601 or a `Date`), or a version. */
export type Moment = number | string | Date

/** The author of each field's value, by `state`, `data.city` and so on. Null if the value is older than the history. */
export type BlameByField = Record<string, Blame | null>

export type ListQuery<
  Data = Attributes,
  State extends string = string,
  Sortable extends string = SortableName<Data>,
> = Omit<ListProcessesBody, 'where' | 'sort' | 'limit' | 'cursor' | 'fields'> &
  Paging & { where?: Where<Data, State> | undefined; sort?: readonly SortBy<Data, Sortable>[] | undefined }
export type NewestQuery<State extends string = string> = Pick<ListNewestProcessesQuery, 'assignedTo' | 'skip'> &
  Paging & { status?: Process['status'] | undefined; state?: State | undefined }

export interface Processes<Data, State extends string = string, Sortable extends string = SortableName<Data>>
  extends Bulk<Data, State>,
    AggregateMethods<Data, State>,
    ExportMethods<Data, State, Sortable> {
  create: (
    ...call: [RequiredName<Data>] extends [never]
      ? [body?: NewProcess<Data, State>, options?: CallOptions]
      : [body: NewProcess<Data, State>, options?: CallOptions]
  ) => Promise<TaggedProcess<Data, State>>
  /** Creates the process, or updates the one that has the primary key in `data`. */
  createOrUpdate: (body: Upsert<Data, State>, options?: CallOptions) => Promise<TaggedProcess<Data, State>>
  get: (address: Address<Data>, options?: CallOptions) => Promise<TaggedProcess<Data, State>>
  /** Returns the process; undefined if it still has this entity tag. */
  getIfChanged: (
    address: Address<Data>,
    etag: string,
    options?: CallOptions,
  ) => Promise<TaggedProcess<Data, State> | undefined>
  /** Changes only the fields that are sent; `null` removes an attribute. */
  update: (
    address: Address<Data>,
    body: Update<Data, State>,
    options?: Conditional,
  ) => Promise<TaggedProcess<Data, State>>
  delete: (address: Address<Data>, options?: Conditional) => Promise<TaggedProcess<Data, State>>
  /** Removes a process for good, live or deleted, with all its values. Admins only. */
  purge: (id: string, options?: Conditional) => Promise<PurgedProcess>
  restore: (id: string, options?: CallOptions) => Promise<TaggedProcess<Data, State>>
  /** The deleted ones that can be restored, last deleted first. */
  trash: (paging?: Paging, options?: CallOptions) => Pages<DeletedProcess>
  /** The processes that match a query; the default order is newest first. Pages neither repeat nor miss a process, except by `relevance`. */
  list: (query?: ListQuery<Data, State, Sortable>, options?: CallOptions) => Pages<ProcessOf<Data, State>>
  /** Newest first, with simple filters. */
  newest: (query?: NewestQuery<State>, options?: CallOptions) => Pages<ProcessOf<Data, State>>
  /** Lists all changes, newest first. */
  history: (address: Address<Data>, paging?: Paging, options?: CallOptions) => Pages<ProcessHistoryEntry>
  /** The process as it was at a time, or as a version. */
  getAsOf: (address: Address<Data>, asOf: Moment, options?: CallOptions) => Promise<TaggedProcess<Data, State>>
  blame: (address: Address<Data>, query?: { asOf?: Moment | undefined }, options?: CallOptions) => Promise<BlameByField>
  /** Gives the process the values of a version again, by an ordinary update. */
  revert: (address: Address<Data>, version: number, options?: RevertOptions) => Promise<TaggedProcess<Data, State>>
}

/** A path by the primary key or by the id. */
type ProcessPath =
  | { byKey: false; path: { procedureShortId: string; processId: string } }
  | { byKey: true; path: { procedureShortId: string; primaryKeyShortId: string; primaryKeyValue: string } }

interface ReadQuery {
  asOf?: string
  blame?: 'true'
}

/** The processes of one procedure, named by its short id or its id. */
export function createProcessesClient<Data, State extends string>(
  call: Call,
  procedure: string,
): Processes<Data, State> {
  const path = { procedureShortId: procedure }
  const toPath = (address: Address<Data>): ProcessPath =>
    typeof address === 'string'
      ? { byKey: false, path: { ...path, processId: address } }
      : { byKey: true, path: { ...path, ...toPrimaryKeyPath(address as AnyKey) } }

  async function read(address: Address<Data>, query: ReadQuery, options?: CallOptions & { ifNoneMatch?: string }) {
    const to = toPath(address)
    return to.byKey
      ? call('getProcessByPrimaryKey', { path: to.path, query }, options)
      : call('getProcessById', { path: to.path, query }, options)
  }

  return {
    ...createBulkClient<Data, State>(call, procedure),
    ...createAggregateClient<Data, State>(call, procedure),
    ...createExportClient<Data, State>(call, procedure),
    create: async (...[body, options]) =>
      toTagged(await call('createProcess', { path, body: (body ?? {}) as CreateProcessBody }, options)),
    createOrUpdate: async (body, options) =>
      toTagged(await call('createOrUpdateProcess', { path, body: body as CreateProcessBody }, options)),
    get: async (address, options) => toTagged(await read(address, {}, options)),
    async getIfChanged(address, etag, options = {}) {
      const response = await read(address, {}, { ...options, ifNoneMatch: etag })
      return response.status === 304 ? undefined : toTagged(response)
    },
    async update(address, body, options) {
      const to = toPath(address)
      return toTagged(
        to.byKey
          ? await call('updateProcessByPrimaryKey', { path: to.path, body }, options)
          : await call('updateProcessById', { path: to.path, body }, options),
      )
    },
    async delete(address, options) {
      const to = toPath(address)
      return toTagged(
        to.byKey
          ? await call('deleteProcessByPrimaryKey', { path: to.path }, options)
          : await call('deleteProcessById', { path: to.path }, options),
      )
    },
    async purge(id, options) {
      const to = { ...path, processId: id }
      return (await call('deleteProcessById', { path: to, query: { purge: 'true' } }, options))
        .data as unknown as PurgedProcess
    },
    restore: async (id, options) =>
      toTagged(await call('restoreProcess', { path: { ...path, processId: id } }, options)),
    trash: (paging = {}, options) =>
      paginate<DeletedProcess>(paging, (limit, cursor) =>
        call('listDeletedProcesses', { path, query: { limit, cursor } }, options),
      ),
    list: ({ limit: total, pageSize, skip, ...query } = {}, options) =>
      paginate<ProcessOf<Data, State>>({ limit: total, pageSize }, async (limit, cursor) => {
        const from = cursor === undefined ? { skip } : { cursor }
        // The types of the attributes narrow what the API takes.
        const body = { ...query, limit, ...from } as ListProcessesBody
        const { data, meta } = await call('listProcesses', { path, body }, options)
        return { data: data as unknown as ProcessOf<Data, State>[], meta }
      }),
    newest: ({ limit: total, pageSize, skip, ...query } = {}, options) =>
      paginate<ProcessOf<Data, State>>({ limit: total, pageSize }, async (limit, cursor) => {
        const from = cursor === undefined ? { skip } : { cursor }
        const { data, meta } = await call('listNewestProcesses', { path, query: { ...query, limit, ...from } }, options)
        return { data: data as unknown as ProcessOf<Data, State>[], meta }
      }),
    history: (address, paging = {}, options) =>
      paginate<ProcessHistoryEntry>(paging, (limit, cursor) => {
        const to = toPath(address)
        const query = { limit, cursor }
        return to.byKey
          ? call('listHistoryByPrimaryKey', { path: to.path, query }, options)
          : call('listHistoryById', { path: to.path, query }, options)
      }),
    getAsOf: async (address, asOf, options) => toTagged(await read(address, { asOf: formatMoment(asOf) }, options)),
    async blame(address, { asOf } = {}, options) {
      const at = asOf === undefined ? {} : { asOf: formatMoment(asOf) }
      return (await read(address, { ...at, blame: 'true' }, options)).meta.blame ?? {}
    },
    async revert(address, version, { force = false, ...options } = {}) {
      const to = toPath(address)
      const body = { version, ...(force && { force }) }
      return toTagged(
        to.byKey
          ? await call('revertProcessByPrimaryKey', { path: to.path, body }, options)
          : await call('revertProcessById', { path: to.path, body }, options),
      )
    },
  }
}

const formatMoment = (moment: Moment): string => (moment instanceof Date ? moment.toISOString() : String(moment))

function toPrimaryKeyPath(address: AnyKey) {
  const [key, ...more] = Object.entries(address)
  if (key === undefined || more.length > 0)
    throw invalidCall('a process is named by its id, or by its primary key: { lead_id: "LEAD-7" }')
  const [name, value] = key
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw invalidCall(`${name} is a text: a number of so many digits loses the last ones`)
  return { primaryKeyShortId: name, primaryKeyValue: String(value) }
}
