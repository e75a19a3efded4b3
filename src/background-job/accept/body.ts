import { AppError, type Fault, invalid } from '../../errors.ts'
import type { StreamedBody } from '../../http/request/streamed-body.ts'
import type { May, Permission } from '../../permissions.ts'
import { type Entry, failureOf } from '../entry.ts'
import { ENTRIES_MAX, tooDeepEntry, tooLargeEntry } from './pack-chunks.ts'
import { parseValue, scanBody, type Value } from './scan.ts'

/** What a caller may not do by a single request, they may not do by an entry either. */
export function permitEntry(entry: Entry, permission: Permission | undefined, may: May): Entry {
  if (entry.invalid || permission === undefined || may(permission)) return entry
  const message = `your role lacks the permission ${permission}`
  return { ...entry, invalid: failureOf(new AppError('permission_denied', [{ message, detail: { permission } }])) }
}

/** The body of a bulk request: a list of items, bare or as a member of an object that has others beside it. */
export interface BulkBody {
  /** Reads until the first item, or the end where there is none. */
  begin: () => Promise<void>
  /** Reads on to the end, and holds no items. */
  skip: () => Promise<void>
  /** All items in order, from the first again each time; after `release` only those that were not read yet. */
  items: () => AsyncGenerator<Value>
  release: () => void
  hasItems: () => boolean
  hasList: () => boolean
  /** The value of another member; undefined where it is not there, or was not read yet. */
  member: (name: string) => unknown
  has: (name: string) => boolean
}

/**
 * Reads a body item by item. What was read is held until `release`, because a transaction that fails may have to be made
 * again; so `acceptJob` holds one batch, however large the body is.
 */
export function readBulkBody(body: StreamedBody, list: string, others: readonly string[] = []): BulkBody {
  const known = [list, ...others]
  const scan = scanBody(list, known, ENTRIES_MAX)
  const parsed = new Map<string, unknown>()
  let held: Value[] | null = []
  let [hasItems, isWhole] = [false, false]

  /** The items that end in the next piece; undefined at the end of the body. */
  async function readOn(): Promise<Value[] | undefined> {
    if (isWhole) return undefined
    const piece = await body.next()
    if (piece === undefined) {
      scan.end()
      isWhole = true
      const faults = unknownMembers(scan.members.keys(), known)
      if (faults.length > 0) throw invalid(faults)
      return undefined
    }
    const found = scan.feed(piece)
    if (found.length > 0) hasItems = true
    return found
  }

  return {
    async begin() {
      while (!hasItems) {
        const found = await readOn()
        if (found === undefined) return
        for (const item of found) held?.push(item)
      }
    },
    async skip() {
      held = null
      while (await readOn());
    },
    async *items() {
      if (held === null) throw new AppError('conflict', 'other requests got in the way of this one; try again')
      let waiting = held
      for (let at = 0; ; ) {
        for (; at < waiting.length; at++) if (waiting[at]) yield waiting[at] as Value
        const found = await readOn()
        if (found === undefined) return
        if (held === null) [waiting, at] = [found, 0]
        else for (const item of found) held.push(item)
      }
    },
    release: () => {
      held = null
    },
    hasItems: () => hasItems,
    hasList: () => scan.hasList(),
    has: name => scan.members.has(name),
    member(name) {
      const value = scan.members.get(name)
      if (value && !parsed.has(name)) parsed.set(name, parseValue(value, `/body/${name}`))
      return parsed.get(name)
    },
  }
}

/** What an item comes to; one that is too large or too deep to be an entry in any case was not held. */
export function readItem(item: Value, apiType: string, read: (item: unknown) => Entry): Entry {
  if (item.isTooDeep) return tooDeepEntry(apiType)
  return item.bytes === null ? tooLargeEntry(apiType, item.size) : read(parseValue(item))
}

export function requireItems(body: BulkBody, list: string): void {
  if (!body.hasList()) throw invalid([{ message: `"${list}" must be a list`, path: `/body/${list}` }])
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
