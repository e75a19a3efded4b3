import { type AppError, invalid } from '../../errors.ts'
import { pointer } from './faults.ts'

/** A value of an attribute may have 64 levels (`values.ts`); no body has as many around it as there are more. */
export const BODY_LEVELS_MAX = 100
/** The path of a fault ends after so many levels: whoever sent the body finds the place by its beginning. */
const SHOWN_LEVELS = 5

const TOO_DEEP = `it may be nested at most ${BODY_LEVELS_MAX} levels deep`

export const tooDeep = (path: string): AppError => invalid([{ message: TOO_DEEP, path }])

interface Place {
  value: object
  level: number
  name: string
  parent: Place | null
}

/** The beginning of the path to what is nested too deeply; null if nothing is. Without recursion: it may be thousands of levels. */
export function findTooDeep(body: unknown): string | null {
  const open: Place[] = []
  const visit = (value: unknown, level: number, name: string, parent: Place | null): void => {
    if (typeof value === 'object' && value !== null) open.push({ value, level, name, parent })
  }
  visit(body, 1, 'body', null)
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (place.level > BODY_LEVELS_MAX) return pathTo(place)
    for (const [name, value] of Object.entries(place.value)) visit(value, place.level + 1, name, place)
  }
  return null
}

function pathTo(deepest: Place): string {
  const names: string[] = []
  for (let at: Place | null = deepest; at !== null; at = at.parent)
    if (at.level > 1 && at.level <= SHOWN_LEVELS) names.push(at.name)
  return pointer('body', ...names.reverse().map(name => name.slice(0, 200)))
}
