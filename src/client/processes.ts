import { type Bulk, bulkOf } from './bulk.ts'
import type { Call, CallOptions } from './call/call.ts'
import type {
  CreateProcessBody,
  ListNewestProcessesQuery,
  ListProcessesBody,
  UpdateProcessByIdBody,
} from './generated/bodies.ts'
import type { Process } from './generated/shapes.ts'
import { type Pages, type Paging, pagesOf } from './pages.ts'

/** The attributes of a process by short id. Declare your own to have them typed: `processes<{ score: number }>('lead')`. */
export type Attributes = Record<string, unknown>

/** A process by its id, or by its primary key: `{ lead_id: 'LEAD-7' }`. */
export type Address = string | Record<string, string | number>

/** A process with typed attributes. */
export type ProcessOf<Data> = Omit<Process, 'data'> & { data: Data }
/** A process with its entity tag. The tag is not enumerable, so it is not printed, copied or sent back. */
export type TaggedProcess<Data> = ProcessOf<Data> & { readonly etag: string }

type Values<Data> = { [Name in keyof Data]?: Data[Name] | null | undefined }
export type Update<Data> = Omit<UpdateProcessByIdBody, 'data'> & { data?: Values<Data> | undefined }
export type NewProcess<Data> = Omit<CreateProcessBody, 'data'> & { data?: Values<Data> | undefined }

/** With `ifMatch`, the process is changed only if it still has this entity tag. */
export interface Conditional extends CallOptions {
  ifMatch?: string | undefined
}

export type ListQuery = Pick<ListProcessesBody, 'where' | 'sort' | 'skip'> & Paging
export type NewestQuery = Pick<ListNewestProcessesQuery, 'status' | 'state' | 'assignedTo' | 'skip'> & Paging

export interface Processes<Data> extends Bulk<Data> {
  create: (body?: NewProcess<Data>, options?: CallOptions) => Promise<TaggedProcess<Data>>
  /** Creates the process, or updates the one that has the primary key in `data`. */
  createOrUpdate: (body: NewProcess<Data>, options?: CallOptions) => Promise<TaggedProcess<Data>>
  get: (address: Address, options?: CallOptions) => Promise<TaggedProcess<Data>>
  /** Undefined if the process still has this entity tag. */
  getIfChanged: (address: Address, etag: string, options?: CallOptions) => Promise<TaggedProcess<Data> | undefined>
  /** Only the fields that are sent are changed; `null` removes an attribute. */
  update: (address: Address, body: Update<Data>, options?: Conditional) => Promise<TaggedProcess<Data>>
  delete: (address: Address, options?: Conditional) => Promise<TaggedProcess<Data>>
  restore: (id: string, options?: CallOptions) => Promise<TaggedProcess<Data>>
  /** The processes that match a query; the default order is newest first. Pages neither repeat nor miss a process. */
  list: (query?: ListQuery, options?: CallOptions) => Pages<ProcessOf<Data>>
  /** Newest first, with simple filters. */
  newest: (query?: NewestQuery, options?: CallOptions) => Pages<ProcessOf<Data>>
}

/** The processes of one procedure, named by its short id or its id. */
export function processesOf<Data>(call: Call, procedure: string): Processes<Data> {
  const path = { procedureShortId: procedure }
  const found = ({ data, headers }: { data: Process; headers: Headers }): TaggedProcess<Data> =>
    Object.defineProperty(data, 'etag', { value: headers.get('etag') ?? '' }) as unknown as TaggedProcess<Data>
  const at = (address: Address) =>
    typeof address === 'string'
      ? ({ byKey: false, path: { ...path, processId: address } } as const)
      : ({ byKey: true, path: { ...path, ...primaryKeyPath(address) } } as const)

  async function fetched(address: Address, options: CallOptions & { ifNoneMatch?: string }) {
    const to = at(address)
    return to.byKey
      ? call('getProcessByPrimaryKey', { path: to.path }, options)
      : call('getProcessById', { path: to.path }, options)
  }

  return {
    ...bulkOf<Data>(call, procedure),
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
    restore: async (id, options) => found(await call('restoreProcess', { path: { ...path, processId: id } }, options)),
    list: ({ where, sort, skip, ...paging } = {}, options) =>
      pagesOf<ProcessOf<Data>, string>(paging, async (limit, cursor) => {
        const from = cursor === undefined ? { skip } : { cursor }
        const { data, meta } = await call('listProcesses', { path, body: { where, sort, limit, ...from } }, options)
        return { items: data as unknown as ProcessOf<Data>[], next: meta.next ?? undefined }
      }),
    newest: ({ limit: total, pageSize, skip, ...query } = {}, options) =>
      pagesOf<ProcessOf<Data>, string>({ limit: total, pageSize }, async (limit, cursor) => {
        const from = cursor === undefined ? { skip } : { cursor }
        const { data, meta } = await call('listNewestProcesses', { path, query: { ...query, limit, ...from } }, options)
        return { items: data as unknown as ProcessOf<Data>[], next: meta.next ?? undefined }
      }),
  }
}

function primaryKeyPath(address: Record<string, string | number>) {
  const [key, ...more] = Object.entries(address)
  if (key === undefined || more.length > 0)
    throw new TypeError('a process is named by its id, or by its primary key: { lead_id: "LEAD-7" }')
  return { primaryKeyShortId: key[0], primaryKeyValue: String(key[1]) }
}
