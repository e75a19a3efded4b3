import { findDoubledMember } from '../../doubled-members.ts'
import { type AppError, invalid } from '../../errors.ts'
import { pointer } from './faults.ts'

/** The levels of a body. A value of an attribute may have 64 (`values.ts`), and no body has the other 36 around it. */
export const BODY_LEVELS_MAX = 100
/** The levels of a path in a fault. Its beginning suffices to find the place. */
const SHOWN_LEVELS = 5
const SHOWN_NAME_LENGTH = 200

const TOO_DEEP = `it may be nested at most ${BODY_LEVELS_MAX} levels deep`

export const tooDeepError = (path: string): AppError => invalid([{ message: TOO_DEEP, path }])

/** What is wrong with a value, and where. */
export interface UnusableValue {
  message: string
  path: string
}

interface LevelPlace {
  value: object
  level: number
  name: string
  parent: LevelPlace | null
}

/** Finds what a text of JSON says, and its parsed value cannot keep. */
export const findUnusable = (text: string, value: unknown): UnusableValue | null =>
  findDeepOrLarge(value) ?? findDoubled(text, value)

export function findDoubled(text: string, value: unknown): UnusableValue | null {
  const names = findDoubledMember(text, value)
  if (names === null) return null
  const shown = names.map(name => String(name).slice(0, SHOWN_NAME_LENGTH))
  return {
    message: `${JSON.stringify(shown.at(-1))} is there twice`,
    path: pointer('body', ...shown.slice(0, SHOWN_LEVELS)),
  }
}

/**
 * Finds a value that is nested too deep, or a number such as 1e999, which would be written as null. It does not recurse:
 * there may be thousands of levels.
 */
export function findDeepOrLarge(body: unknown): UnusableValue | null {
  const open: LevelPlace[] = []
  const visit = (value: unknown, level: number, name: string, parent: LevelPlace | null): UnusableValue | null => {
    if (typeof value === 'object' && value !== null) open.push({ value, level, name, parent })
    const isTooLarge = typeof value === 'number' && !Number.isFinite(value)
    return isTooLarge ? { message: 'the number is too large', path: formatPath({ level, name, parent }) } : null
  }
  const fault = visit(body, 1, 'body', null)
  if (fault) return fault
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.level > BODY_LEVELS_MAX) return { message: TOO_DEEP, path: formatPath(place) }
    for (const [name, value] of Object.entries(place.value)) {
      const unusable = visit(value, place.level + 1, name, place)
      if (unusable) return unusable
    }
  }
  return null
}

/** Matches the text of each number that is too large, and few others. */
export const MAYBE_TOO_LARGE = /[eE]\+?\d{3}|\d{309}/

function formatPath(deepest: Omit<LevelPlace, 'value'>): string {
  const names: string[] = []
  for (let at: Omit<LevelPlace, 'value'> | null = deepest; at !== null; at = at.parent)
    if (at.level > 1 && at.level <= SHOWN_LEVELS) names.push(at.name)
  return pointer('body', ...names.reverse().map(name => name.slice(0, SHOWN_NAME_LENGTH)))
}
