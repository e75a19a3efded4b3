import type { Query } from 'caseworker'

// An address may be mistyped: what does not fit is left out.

/** A text. The router reads one of digits as a number. */
export const textIn = (value: unknown): string | undefined =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined

/** A day: `2026-11-22`. */
export const dayIn = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined

/** Returns the value if it is one of the known words. */
export const parseWord = <Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find(word => word === value)

/** A filter that filters something. What is wrong with it is said by the API. */
export const filterIn = (value: unknown): Query | undefined =>
  isObject(value) && Object.keys(value).length > 0 ? value : undefined

/** A filter that was cut on its way can't be read: without it, the page would be about all processes. */
export const isFilterBroken = (value: unknown): boolean => value !== undefined && value !== '' && !isObject(value)

const isObject = (value: unknown): value is Query =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
