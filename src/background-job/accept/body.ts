import { AppError, type Fault, invalid } from '../../errors.ts'
import type { StreamedBody } from '../../http/request/streamed-body.ts'
import type { May, Permission } from '../../permissions.ts'
import { type Entry, toFailure } from '../entry.ts'
import { ENTRIES_MAX, STREAM_ENTRIES_MAX, tooDeepEntry, tooLargeEntry } from './pack-chunks.ts'
import { parseValue, scanBody, tooManyItemsError, type Value } from './scan.ts'

/** What a caller may not do by a single request, they may not do by an entry either. */
export function permitEntry(entry: Entry, permission: Permission | undefined, may: May): Entry {
  if (entry.invalid || permission === undefined || may(permission)) return entry
  const message = `your role lacks the permission ${permission}`
  return { ...entry, invalid: toFailure(new AppError('permission_denied', [{ message, detail: { permission } }])) }
}

/** What a body has beside its items. */
export type BulkMembers = Pick<BulkBody, 'skip' | 'hasList' | 'member' | 'has'>

/** An item of a body that is read line by line: what stands in the line that it begins in, or what is wrong with that. */
export type LineItem = { line: number } & (
  | { item: unknown }
  | { fault: string; hint?: string; kept?: Record<string, unknown> }
)
export type BulkItem = Value | LineItem

/** The body of a bulk request: a list of items, bare or as a member of an object that has others beside it. */
export interface BulkBody<Item = unknown> {
  /** Reads until the first item, or the end where there is none. */
  begin: () => Promise<void>
  /** Reads on to the end, and holds no items. */
  skip: () => Promise<void>
  /** All items in order, from the first again each time; after `release` only those that were not read yet. */
  items: () => AsyncGenerator<Item>
  release: () => void
  hasItems: () => boolean
  hasList: () => boolean
  /** The value of another member; undefined where it is not there, or was not read yet. */
  member: (name: string) => unknown
  has: (name: string) => boolean
}

/**
 * Items as they are read. What was read is held until `release`, because a transaction that fails may have to be made
 * again; so `acceptJob` holds one batch, however large the body is. `readOn` returns the next items; undefined at the end.
 */
function holdItems<Item>(
  readOn: () => Promise<Item[] | undefined>,
): Pick<BulkBody<Item>, 'begin' | 'skip' | 'items' | 'release' | 'hasItems'> {
  let held: Item[] | null = []
  let hasItems = false
  const readSome = async () => {
    const found = await readOn()
    if (found && found.length > 0) hasItems = true
    return found
  }
  return {
    async begin() {
      while (!hasItems) {
        const found = await readSome()
        if (found === undefined) return
        for (const item of found) held?.push(item)
      }
    },
    async skip() {
      held = null
      while (await readSome());
    },
    async *items() {
      if (held === null) throw new AppError('conflict', 'other requests got in the way of this one; try again')
      let waiting = held
      for (let at = 0; ; ) {
        for (; at < waiting.length; at++) yield waiting[at] as Item
        const found = await readSome()
        if (found === undefined) return
        if (held === null) [waiting, at] = [found, 0]
        else for (const item of found) held.push(item)
      }
    },
    release: () => {
      held = null
    },
    hasItems: () => hasItems,
  }
}

/** Reads a body of JSON item by item. `otherForms` says how the route is sent what is no JSON. */
export function readBulkBody(
  body: StreamedBody,
  list: string,
  others: readonly string[] = [],
  otherForms?: string,
): BulkBody<Value> {
  const known = [list, ...others]
  const scan = scanBody(list, known, ENTRIES_MAX, otherForms)
  const parsed = new Map<string, unknown>()
  let isWhole = false

  /** The items that end in the next piece. */
  async function readOn(): Promise<Value[] | undefined> {
    if (isWhole) return undefined
    const piece = await body.next()
    if (piece !== undefined) return scan.feed(piece)
    scan.end()
    isWhole = true
    const faults = unknownMembers(scan.members.keys(), known)
    if (faults.length > 0) throw invalid(faults)
    return undefined
  }

  return {
    ...holdItems(readOn),
    hasList: () => scan.hasList(),
    has: name => scan.members.has(name),
    member(name) {
      const value = scan.members.get(name)
      if (value && !parsed.has(name)) parsed.set(name, parseValue(value, `/body/${name}`))
      return parsed.get(name)
    },
  }
}

/**
 * A body whose items are lines, rows for example: there is nothing beside them. `next` returns one; undefined at the end.
 * `explainEmpty` says what is missing where there is none.
 */
export function readLines<Item>(next: () => Promise<Item | undefined>, explainEmpty: () => string): BulkBody<Item> {
  let count = 0
  const readOn = async (): Promise<Item[] | undefined> => {
    const item = await next()
    if (item === undefined) {
      if (count === 0) throw invalid([{ message: 'the body has no items', path: '/body', hint: explainEmpty() }])
      return undefined
    }
    count += 1
    if (count > STREAM_ENTRIES_MAX) throw tooManyItemsError(STREAM_ENTRIES_MAX)
    return [item]
  }
  return { ...holdItems(readOn), hasList: () => true, has: () => false, member: () => undefined }
}

/** What an item comes to; one that is too large or too deep to be an entry in any case was not held. */
export function readItem(item: BulkItem, apiType: string, read: (item: unknown) => Entry): Entry {
  if ('line' in item) return 'fault' in item ? malformedLine(apiType, item) : withLine(item.line, read(item.item))
  if (item.isTooDeep) return tooDeepEntry(apiType)
  return item.bytes === null ? tooLargeEntry(apiType, item.size) : read(parseValue(item))
}

const withLine = (line: number, entry: Entry): Entry => ({ ...entry, apiData: { ...entry.apiData, line } })

/** What could be read of it is kept, so that it can be mended and sent again. */
const malformedLine = (apiType: string, { line, fault, hint, kept }: Extract<LineItem, { fault: string }>): Entry => ({
  apiType,
  apiData: { ...kept, line },
  invalid: toFailure(invalid([{ message: `line ${line}: ${fault}`, path: '/body', hint }])),
})

/** `hint` says what may stand in place of the list. */
export function requireItems(body: Pick<BulkBody, 'hasList' | 'hasItems'>, list: string, hint?: string): void {
  const fault = { message: `"${list}" must be a list`, path: `/body/${list}` }
  if (!body.hasList()) throw invalid([{ ...fault, hint }])
  if (!body.hasItems()) throw invalid([{ message: `"${list}" is empty`, path: `/body/${list}` }])
}

const unknownMembers = (members: Iterable<string>, known: readonly string[]): Fault[] =>
  [...members]
    .filter(name => !known.includes(name))
    .map(name => ({
      message: `unknown field ${JSON.stringify(name)}`,
      path: `/body/${name}`,
      hint: `known fields: ${known.join(', ')}`,
    }))
