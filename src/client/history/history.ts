import type { Call, CallOptions } from '../call/call.ts'
import type { Blame, Process, ProcessHistoryEntry } from '../generated/shapes.ts'
import { type Pages, type Paging, pagesOf } from '../pages.ts'
import type { Address, Conditional, ProcessPath, TaggedProcess } from '../processes.ts'

/** A time (epoch milliseconds, ISO 8601 or a `Date`), or a version. */
export type Moment = number | string | Date

/** Who gave each field its value: by `state`, `data.city` and so on. Null: before what is kept of the history. */
export type BlameByField = Record<string, Blame | null>

export interface PastOf<Data, State extends string> {
  /** All changes, newest first. */
  history: (address: Address, paging?: Paging, options?: CallOptions) => Pages<ProcessHistoryEntry>
  /** The process as it was at a time, or as a version. */
  getAsOf: (address: Address, asOf: Moment, options?: CallOptions) => Promise<TaggedProcess<Data, State>>
  blame: (address: Address, query?: { asOf?: Moment | undefined }, options?: CallOptions) => Promise<BlameByField>
  /** Gives the process the values of a version again, by an ordinary update. */
  revert: (address: Address, version: number, options?: RevertOptions) => Promise<TaggedProcess<Data, State>>
}

/** With `force`, the allowed moves are no obstacle, for whoever has the permission `process:override`. */
export interface RevertOptions extends Conditional {
  force?: boolean | undefined
}

interface Addressing<Data, State extends string> {
  at: (address: Address) => ProcessPath
  found: (response: { data: Process; headers: Headers }) => TaggedProcess<Data, State>
}

const textOf = (moment: Moment): string => (moment instanceof Date ? moment.toISOString() : String(moment))

export function pastOf<Data, State extends string>(
  call: Call,
  { at, found }: Addressing<Data, State>,
): PastOf<Data, State> {
  async function fetched(address: Address, query: { asOf?: string; blame?: 'true' }, options?: CallOptions) {
    const to = at(address)
    return to.byKey
      ? call('getProcessByPrimaryKey', { path: to.path, query }, options)
      : call('getProcessById', { path: to.path, query }, options)
  }

  return {
    history: (address, paging = {}, options) =>
      pagesOf<ProcessHistoryEntry, string>(paging, async (limit, cursor) => {
        const to = at(address)
        const query = { limit, cursor }
        const { data, meta } = to.byKey
          ? await call('listHistoryByPrimaryKey', { path: to.path, query }, options)
          : await call('listHistoryById', { path: to.path, query }, options)
        return { items: data, next: meta.next ?? undefined }
      }),
    getAsOf: async (address, asOf, options) => found(await fetched(address, { asOf: textOf(asOf) }, options)),
    async blame(address, { asOf } = {}, options) {
      const when = asOf === undefined ? {} : { asOf: textOf(asOf) }
      return (await fetched(address, { ...when, blame: 'true' }, options)).meta.blame ?? {}
    },
    async revert(address, version, { force = false, ...options } = {}) {
      const to = at(address)
      const body = { version, ...(force && { force }) }
      return found(
        to.byKey
          ? await call('revertProcessByPrimaryKey', { path: to.path, body }, options)
          : await call('revertProcessById', { path: to.path, body }, options),
      )
    },
  }
}
