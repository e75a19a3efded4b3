import type { Fault } from '../../../errors.ts'
import type { QueryField } from './condition.ts'
import type { ValueContext } from './filter-value.ts'
import { shortenName } from './shortened.ts'

/** The context in which a filter is parsed, and the callbacks for its faults and figures. */
export interface FilterContext extends ValueContext {
  fail(path: string, message: string, hint?: Fault['hint']): void
  /** Counts a condition. */
  count(): void
  /** Counts a text that is looked for anywhere in others. Returns whether there is room for it. */
  mayContain(text: string): boolean
  /** Returns the time that `now` and `today` stand for. */
  now(): number
  noteUndeclared(key: string, path: string): void
}

/** A field that a filter compares, `key` as it was sent, and a JSON Pointer to what it is compared with. */
export interface ComparedField {
  field: QueryField
  key: string
  path: string
}

/** Appends a member to a JSON Pointer. */
export const appendPointer = (path: string, key: string | number): string =>
  `${path}/${shortenName(String(key)).replaceAll('~', '~0').replaceAll('/', '~1')}`
