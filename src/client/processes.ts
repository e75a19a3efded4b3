import { type Bulk, bulkOf } from './bulk.ts'
import type { Call, CallOptions } from './call/call.ts'
import { invalidCall } from './call/error.ts'
import { type ExportOf, exportOf } from './exported.ts'
import { type FiguresOf, figuresOf } from './figures/figures.ts'
import type {
  CreateProcessBody,
  ListNewestProcessesQuery,
  ListProcessesBody,
  UpdateProcessByIdBody,
} from './generated/bodies.ts'
import type { DeletedProcess, Process, PurgedProcess } from './generated/shapes.ts'
import { type PastOf, pastOf } from './history/history.ts'
import { type Pages, type Paging, pagesOf } from './pages.ts'
import type { SortBy, Where } from './typed-query.ts'

/** The attributes of a process by short id. Declare your own to have them typed: `processes<{ score: number }>('lead')`. */
export type Attributes = Record<string, unknown>

/** A process by its id, or by its primary key: `{ lead_id: 'LEAD-7' }`. */
export type Address = string | Record<string, string | number>

/** A process with typed attributes and states. */
export type ProcessOf<Data, State extends string = string> = Omit<Process, 'data' | 'state'> & {
  data: Data
  state: State
}
/** A process with its entity tag. The tag is not enumerable, so it is not printed, copied or sent back. */
export type TaggedProcess<Data, State extends string = string> = ProcessOf<Data, State> & { readonly etag: string }

type Values<Data> = { [Name in keyof Data]?: Data[Name] | null | undefined }
interface Typed<Data, State> {
  data?: Values<Data> | undefined
  state?: State | undefined
}
export type Update<Data, State extends string = string> = Omit<UpdateProcessByIdBody, 'data' | 'state'> &
  Typed<Data, State>
export type NewProcess<Data, State extends string = string> = Omit<CreateProcessBody, 'data' | 'state'> &
  Typed<Data, State>

/** With `ifMatch`, the process is changed only if it still has this entity tag. */
export interface Conditional extends CallOptions {
  ifMatch?: string | undefined
}

export type ListQuery<Data = Attributes, State extends string = string> = Omit<
  ListProcessesBody,
  'where' | 'sort' | 'limit' | 'cursor' | 'fields'
> &
  Paging & { where?: Where<Data, State> | undefined; sort?: readonly SortBy<Data>[] | undefined }
export type NewestQuery = Pick<ListNewestProcessesQuery, 'status' | 'state' | 'assignedTo' | 'skip'> & Paging

export interface Processes<Data, State extends string = string>
  extends Bulk<Data, State>,
    FiguresOf<Data, State>,
    PastOf<Data, State>,
    ExportOf<Data, State> {
  create: (body?: NewProcess<Data, State>, options?: CallOptions) => Promise<TaggedProcess<Data, State>>
  /** Creates the process, or updates the one that has the primary key in `data`. */
  createOrUpdate: (body: NewProcess<Data, State>, options?: CallOptions) => Promise<TaggedProcess<Data, State>>
  get: (address: Address, options?: CallOptions) => Promise<TaggedProcess<Data, State>>
  /** Undefined if the process still has this entity tag. */
  getIfChanged: (
    address: Address,
    etag: string,
    options?: CallOptions,
  ) => Promise<TaggedProcess<Data, State> | undefined>
  /** Only the fields that are sent are changed; `null` removes an attribute. */
  update: (address: Address, body: Update<Data, State>, options?: Conditional) => Promise<TaggedProcess<Data, State>>
  delete: (address: Address, options?: Conditional) => Promise<TaggedProcess<Data, State>>
  /** Removes a process for good, live or deleted, with every value of it. Admins only. */
  purge: (id: string, options?: Conditional) => Promise<PurgedProcess>
  restore: (id: string, options?: CallOptions) => Promise<TaggedProcess<Data, State>>
  /** The deleted ones that can be restored, last deleted first. */
  trash: (paging?: Paging, options?: CallOptions) => Pages<DeletedProcess>
  /** The processes that match a query; the default order is newest first. Pages neither repeat nor miss a process. */
  list: (query?: ListQuery<Data, State>, options?: CallOptions) => Pages<ProcessOf<Data, State>>
  /** Newest first, with simple filters. */
  newest: (query?: NewestQuery, options?: CallOptions) => Pages<ProcessOf<Data, State>>
}

/** Which of the two routes, and its path. */
export type ProcessPath =
  | { byKey: false; path: { procedureShortId: string; processId: string } }
  | { byKey: true; path: { procedureShortId: string; primaryKeyShortId: string; primaryKeyValue: string } }

/** The processes of one procedure, named by its short id or its id. */
export function processesOf<Data, State extends string>(call: Call, procedure: string): Processes<Data, State> {
  const path = { procedureShortId: procedure }
  const found = ({ data, headers }: { data: Process; headers: Headers }): TaggedProcess<Data, State> =>
    Object.defineProperty(data, 'etag', { value: headers.get('etag') ?? '' }) as unknown as TaggedProcess<Data, State>
  const at = (address: Address): ProcessPath =>
    typeof address === 'string'
      ? { byKey: false, path: { ...path, processId: address } }
      : { byKey: true, path: { ...path, ...primaryKeyPath(address) } }

  async function fetched(address: Address, options: CallOptions & { ifNoneMatch?: string }) {
    const to = at(address)
    return to.byKey
      ? call('getProcessByPrimaryKey', { path: to.path }, options)
      : call('getProcessById', { path: to.path }, options)
  }

  return {
    ...bulkOf<Data, State>(call, procedure),
    ...figuresOf<Data, State>(call, procedure),
    ...exportOf<Data, State>(call, procedure),
    ...pastOf<Data, State>(call, { at, found }),
    create: async (body = {}, options) => found(await call('createProcess', { path, body }, options)),
    createOrUpdate: async (body, options) => found(await call('createOrUpdateProcess', { path, body }, options)),
    get: async (address, options = {}) => found(await fetched(address, options)),
    async getIfChanged(address, etag, options = {}) {
      const response = await fetched(address, { ...options, ifNoneMatch: etag })
      return response.status === 304 ? undefined : found(response)
    },
    async update(address, body, options) {
      const to = at(address)
      return found(
        to.byKey
          ? await call('updateProcessByPrimaryKey', { path: to.path, body }, options)
          : await call('updateProcessById', { path: to.path, body }, options),
      )
    },
    async delete(address, options) {
      const to = at(address)
      return found(
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
    restore: async (id, options) => found(await call('restoreProcess', { path: { ...path, processId: id } }, options)),
    trash: (paging = {}, options) =>
      pagesOf<DeletedProcess, string>(paging, async (limit, cursor) => {
        const { data, meta } = await call('listDeletedProcesses', { path, query: { limit, cursor } }, options)
        return { items: data, next: meta.next ?? undefined }
      }),
    list: ({ limit: total, pageSize, skip, ...query } = {}, options) =>
      pagesOf<ProcessOf<Data, State>, string>({ limit: total, pageSize }, async (limit, cursor) => {
        const from = cursor === undefined ? { skip } : { cursor }
        // The types of the attributes narrow what the API takes.
        const body = { ...query, limit, ...from } as ListProcessesBody
        const { data, meta } = await call('listProcesses', { path, body }, options)
        return { items: data as unknown as ProcessOf<Data, State>[], next: meta.next ?? undefined }
      }),
    newest: ({ limit: total, pageSize, skip, ...query } = {}, options) =>
      pagesOf<ProcessOf<Data, State>, string>({ limit: total, pageSize }, async (limit, cursor) => {
        const from = cursor === undefined ? { skip } : { cursor }
        const { data, meta } = await call('listNewestProcesses', { path, query: { ...query, limit, ...from } }, options)
        return { items: data as unknown as ProcessOf<Data, State>[], next: meta.next ?? undefined }
      }),
  }
}

function primaryKeyPath(address: Record<string, string | number>) {
  const [key, ...more] = Object.entries(address)
  if (key === undefined || more.length > 0)
    throw invalidCall('a process is named by its id, or by its primary key: { lead_id: "LEAD-7" }')
  return { primaryKeyShortId: key[0], primaryKeyValue: String(key[1]) }
}
