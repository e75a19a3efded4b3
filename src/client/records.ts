import { type Call, type CallOptions, toTagged } from './call/call.ts'
import type {
  Customer,
  ErasedCustomer,
  MergedCustomer,
  Process,
  RecordHistoryEntry,
  StoredMessage,
} from './generated/shapes.ts'
import { type Pages, type Paging, paginate } from './pages.ts'
import type { Attributes, Conditional } from './processes.ts'

/** A customer by phone number, in any form, or by e-mail address. */
export type CustomerName = { phone: string } | { email: string }

/** A customer with its entity tag. The tag is not enumerable, so it is not printed, copied or sent back. */
export type TaggedCustomer = Customer & { readonly etag: string }

export interface MergeOptions extends Conditional {
  dryRun?: boolean
}

export interface EraseOptions extends Conditional {
  everywhere?: boolean
}

export interface Records {
  get: (id: string, options?: CallOptions) => Promise<TaggedCustomer>
  /** Lists all customers, newest first. */
  list: (paging?: Paging, options?: CallOptions) => Pages<Customer>
  /** Customers with a name in which each word of the search begins a word. */
  search: (words: string, paging?: Paging, options?: CallOptions) => Pages<Customer>
  /** The customer whom a number or an address in the data identifies, with the data merged; or a new one. */
  create: (data: Attributes, options?: CallOptions) => Promise<TaggedCustomer>
  /** Returns the customer with the number or the address, or undefined. */
  find: (name: CustomerName, options?: CallOptions) => Promise<Customer | undefined>
  /** Changes only the attributes that are sent; `null` removes one. */
  update: (id: string, data: Attributes, options?: Conditional) => Promise<TaggedCustomer>
  /**
   * Merges the customer into another one for good: from then on the id leads to that one. While `isComplete` is false,
   * processes follow: a repeated call says how far it is. With `dryRun` nothing is changed, and the result says what would be.
   */
  merge: (id: string, into: string, options?: MergeOptions) => Promise<MergedCustomer>
  /**
   * Erases the person for good; `everywhere` empties the personal attributes of their processes as well. If
   * `isComplete` is false, the rest follows: a repeated call continues, and throws `not_found` at the end.
   */
  erase: (id: string, options?: EraseOptions) => Promise<ErasedCustomer>
  /** Lists the changes of the customer, newest first. */
  history: (id: string, paging?: Paging, options?: CallOptions) => Pages<RecordHistoryEntry>
  /** The customer's processes of all procedures, newest first. */
  processes: (id: string, paging?: Paging, options?: CallOptions) => Pages<Process>
  /** The messages to the customer's phone numbers, newest first. */
  messages: (id: string, paging?: Paging, options?: CallOptions) => Pages<StoredMessage>
}

export function createRecordsClient(call: Call): Records {
  const at = (id: string) => ({ recordId: id })
  return {
    get: async (id, options) => toTagged(await call('getRecord', { path: at(id) }, options)),
    list: (paging = {}, options) =>
      paginate<Customer>(paging, (limit, cursor) => call('listRecords', { query: { limit, cursor } }, options)),
    search: (search, paging = {}, options) =>
      paginate<Customer>(paging, (limit, cursor) => call('listRecords', { query: { search, limit, cursor } }, options)),
    create: async (data, options) => toTagged(await call('createRecord', { body: { data } }, options)),
    find: async (query, options) => (await call('listRecords', { query }, options)).data[0],
    update: async (id, data, options) =>
      toTagged(await call('updateRecord', { path: at(id), body: { data } }, options)),
    merge: async (id, into, { dryRun = false, ...options } = {}) =>
      (
        await call(
          'mergeRecord',
          { path: at(id), body: { into }, query: dryRun ? { dryRun: 'true' } : undefined },
          options,
        )
      ).data,
    erase: async (id, { everywhere = false, ...options } = {}) =>
      (
        await call(
          'eraseRecord',
          { path: at(id), ...(everywhere ? { query: { everywhere: 'true' as const } } : {}) },
          options,
        )
      ).data,
    history: (id, paging = {}, options) =>
      paginate<RecordHistoryEntry>(paging, (limit, cursor) =>
        call('listHistoryOfRecord', { path: at(id), query: { limit, cursor } }, options),
      ),
    processes: (id, paging = {}, options) =>
      paginate<Process>(paging, (limit, cursor) =>
        call('listProcessesOfRecord', { path: at(id), query: { limit, cursor } }, options),
      ),
    messages: (id, paging = {}, options) =>
      paginate<StoredMessage>(paging, (limit, cursor) =>
        call('listMessagesOfRecord', { path: at(id), query: { limit, cursor } }, options),
      ),
  }
}
