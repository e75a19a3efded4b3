import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from './json.ts'

/** The pairs or paths of one call. A function of D1 takes 32 arguments: a document, and a path and a value for each attribute, or a path alone. */
const SET_PER_CALL = 15
const REMOVED_PER_CALL = 31

/**
 * A change of a document, by top-level key. It has groups, one for each call of a function: SQLite copies a JSON text each
 * time it reads a value out of it, so time and memory stay linear in the attributes only if each group is a text of its
 * own.
 */
export interface DocumentChange {
  set: { paths: string[]; values: unknown[] }[]
  removed: string[][]
}

/** The number of pairs and paths in each group of a change. Changes of one shape fit one statement. */
export interface ChangeShape {
  set: readonly number[]
  removed: readonly number[]
}

/** The groups of a change in SQL, each a JSON. */
export interface ChangeGroups {
  set: readonly SQL[]
  removed: readonly SQL[]
}

export const toDocumentChange = (set: Record<string, unknown>, unset: readonly string[]): DocumentChange => ({
  set: splitGroups(Object.entries(set), SET_PER_CALL).map(group => ({
    paths: group.map(([name]) => jsonPath(name)),
    values: group.map(([, value]) => value),
  })),
  removed: splitGroups(unset, REMOVED_PER_CALL).map(names => names.map(jsonPath)),
})

const splitGroups = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, nth) => all.slice(nth * size, (nth + 1) * size))

export const getChangeShape = ({ set, removed }: DocumentChange): ChangeShape => ({
  set: set.map(({ paths }) => paths.length),
  removed: removed.map(paths => paths.length),
})

/** Tells whether the whole change fits one call that sets values and one that removes paths. */
export const isOneCall = ({ set, removed }: DocumentChange): boolean => set.length <= 1 && removed.length <= 1

/** Selects the document after a change: each value is replaced as a whole, and attributes that are not named stay. */
export function selectChangedDocument(document: SQL, shape: ChangeShape, groups: ChangeGroups): SQL {
  let changed = document
  for (const [nth, group] of groups.set.entries()) {
    const pairs = listIndexes(shape.set[nth]).map(
      index => sql`${group} ->> ${sql.raw(`'$.paths[${index}]'`)}, ${group} -> ${sql.raw(`'$.values[${index}]'`)}`,
    )
    changed = sql`jsonb_set(${changed}, ${sql.join(pairs, sql`, `)})`
  }
  for (const [nth, group] of groups.removed.entries()) {
    const paths = listIndexes(shape.removed[nth]).map(index => sql`${group} ->> ${sql.raw(`'$[${index}]'`)}`)
    changed = sql`jsonb_remove(${changed}, ${sql.join(paths, sql`, `)})`
  }
  return changed
}

const listIndexes = (count = 0): number[] => Array.from({ length: count }, (_, index) => index)

/** Returns the size class of a change, by doubling of its groups. Changes of one class are written together, so there are few kinds. */
export const getSizeClass = ({ set, removed }: DocumentChange): string =>
  [set, removed].map(({ length }) => (length === 0 ? 0 : 1 + Math.ceil(Math.log2(length)))).join(' ')

/** Gives changes of one size class one shape: the shorter ones are filled up by repeating what they set. */
export function alignChanges(changes: readonly DocumentChange[]): { shape: ChangeShape; changes: DocumentChange[] } {
  const longest = (counts: readonly (readonly number[])[]): number[] => {
    const length = Math.max(0, ...counts.map(each => each.length))
    return Array.from({ length }, (_, nth) => Math.max(...counts.map(each => each[nth] ?? 0)))
  }
  const shapes = changes.map(getChangeShape)
  const shape = { set: longest(shapes.map(each => each.set)), removed: longest(shapes.map(each => each.removed)) }
  const aligned = changes.map(({ set, removed }) => ({
    set: fillUpPairs(set, shape.set),
    removed: fillUp(removed, shape.removed.length).map((paths, nth) => fillUp(paths, shape.removed[nth])),
  }))
  return { shape, changes: aligned }
}

const fillUp = <T>(list: T[], count = 0, filling = list.at(-1) as T): T[] =>
  list.length === count ? list : [...list, ...Array.from({ length: count - list.length }, () => filling)]

/** What is repeated is the shortest value: a long text would be sent as often as others set attributes. */
function fillUpPairs(set: DocumentChange['set'], counts: readonly number[]): DocumentChange['set'] {
  if (counts.every((count, nth) => set[nth]?.paths.length === count)) return set
  const pairs = set.flatMap(({ paths, values }) => paths.map((path, nth) => ({ path, value: values[nth] })))
  const lengths = pairs.map(({ value }) => (typeof value === 'string' ? value : JSON.stringify(value)).length)
  const shortest = pairs[lengths.indexOf(Math.min(...lengths))]
  return counts.map((count, nth) => ({
    paths: fillUp(set[nth]?.paths ?? [], count, shortest?.path),
    values: fillUp(set[nth]?.values ?? [], count, shortest?.value),
  }))
}
