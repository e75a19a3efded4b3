import type { Fault } from '../../../errors.ts'
import type { ValueContext } from './filter-value.ts'
import { shortened } from './shortened.ts'

/** What reading a filter needs to know, and whom it tells. */
export interface FilterReader extends ValueContext {
  fail(path: string, message: string, hint?: Fault['hint']): void
  /** Called once per condition. */
  count(): void
  /** Called with each text that is looked for anywhere in others; returns whether there is room for it. */
  mayContain(text: string): boolean
  /** The time that `now` and `today` stand for. */
  now(): number
  noteUndeclared(key: string, path: string): void
}

/** The JSON Pointer of a member. */
export const under = (path: string, key: string | number): string =>
  `${path}/${shortened(String(key)).replaceAll('~', '~0').replaceAll('/', '~1')}`
