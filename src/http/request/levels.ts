import { type AppError, invalid } from '../../errors.ts'
import { pointer } from './faults.ts'

/** The levels of a body. A value of an attribute may have 64 (`values.ts`), and no body has the other 36 around it. */
export const BODY_LEVELS_MAX = 100
/** The levels of a path in a fault. Its beginning suffices to find the place. */
const SHOWN_LEVELS = 5

const TOO_DEEP = `it may be nested at most ${BODY_LEVELS_MAX} levels deep`

export const tooDeepError = (path: string): AppError => invalid([{ message: TOO_DEEP, path }])

interface LevelPlace {
  value: object
  level: number
  name: string
  parent: LevelPlace | null
}

/** Finds the path to a value that is nested too deep; null if there is none. It does not recurse: there may be thousands of levels. */
export function findTooDeep(body: unknown): string | null {
  const open: LevelPlace[] = []
  const visit = (value: unknown, level: number, name: string, parent: LevelPlace | null): void => {
    if (typeof value === 'object' && value !== null) open.push({ value, level, name, parent })
  }
  visit(body, 1, 'body', null)
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.level > BODY_LEVELS_MAX) return formatPath(place)
    for (const [name, value] of Object.entries(place.value)) visit(value, place.level + 1, name, place)
  }
  return null
}

function formatPath(deepest: LevelPlace): string {
  const names: string[] = []
  for (let at: LevelPlace | null = deepest; at !== null; at = at.parent)
    if (at.level > 1 && at.level <= SHOWN_LEVELS) names.push(at.name)
  return pointer('body', ...names.reverse().map(name => name.slice(0, 200)))
}
