import * as z from 'zod'
import type { Fault } from '../../../errors.ts'
import { invalid } from '../../../errors.ts'
import { decodeCursor, encodeCursor } from '../read/cursor-text.ts'
import type { Figures } from './figures.ts'
import { addGroup, GROUPS_MAX, listExtremeFields, listSummedFields } from './figures.ts'
import type { ParsedAggregate } from './parsed-aggregate.ts'
import type { StagePlace } from './stage-entries.ts'

/** The place where an aggregation goes on, and the figures so far. They are stored nowhere but in the cursor. */
export interface PartialFigures {
  /** The name of the source that is read, and the number of its stage. */
  source: string
  stage: number
  after: StagePlace | null
  /** The entries that were read before this stage, and in it. */
  entries: number
  stageEntries: number
  /** The groups that were left out, because there are enough larger ones. */
  dropped: number
  figures: Figures
}

/** The length of a cursor, for which a request body of a megabyte has room. */
export const PARTIAL_FIGURES_CHARACTERS_MAX = 700_000

const Value = z.union([z.string(), z.number(), z.null()])
const CursorText = z.object({
  q: z.string(),
  /** The version of the definition. With another one, another index may be read. */
  v: z.int(),
  s: z.string(),
  n: z.int().min(0),
  a: z.tuple([z.int(), Value]).nullable(),
  e: z.tuple([z.int().min(0), z.int().min(0), z.int().min(0)]),
  g: z
    .array(
      z.tuple([
        z.array(z.union([Value, z.boolean()])),
        z.int().min(0),
        z.array(z.tuple([z.number().nullable(), z.number().nullable(), z.int().min(0)])),
        z.array(z.tuple([Value, Value])),
      ]),
    )
    .max(GROUPS_MAX + 1),
})

export interface AggregateQuery {
  fingerprint: string
  version: number
}

/** Writes the cursor. More groups than it has room for are refused, because the aggregation could not go on. */
export function writePartialFigures({ fingerprint, version }: AggregateQuery, partial: PartialFigures): string {
  const { source, stage, after, entries, stageEntries, dropped, figures } = partial
  const text: z.input<typeof CursorText> = {
    q: fingerprint,
    v: version,
    s: source,
    n: stage,
    a: after && [after.rid, after.value],
    e: [entries, stageEntries, dropped],
    g: [...figures.values()].map(({ values, count, sums, extremes }) => [values, count, sums, extremes]),
  }
  const cursor = encodeCursor(text)
  if (cursor.length <= PARTIAL_FIGURES_CHARACTERS_MAX) return cursor
  throw invalid([{ message: TOO_MANY_TO_GO_ON, path: '/body/groupBy' }])
}

const TOO_MANY_TO_GO_ON =
  'Too many groups to count them in one request or to go on with another: group by fewer fields, or narrow `where`'

/** Reads a cursor. `query` is null if the request itself is at fault, so that nothing can be compared. */
export function readPartialFigures(
  cursor: string,
  query: AggregateQuery | null,
  parsed: ParsedAggregate,
  path: string,
): PartialFigures | Fault {
  const text = decode(cursor)
  const [groups, numbers, ordered] = [
    parsed.groups.length,
    listSummedFields(parsed).length,
    listExtremeFields(parsed).length,
  ]
  const isOther = text !== null && query !== null && text.q !== query.fingerprint
  if (isOther) return { message: 'The cursor belongs to another query: only `limit` may change', path }
  const fits = text?.g.every(
    ([values, , sums, extremes]) => values.length === groups && sums.length === numbers && extremes.length === ordered,
  )
  if (text === null || (query !== null && !fits))
    return { message: 'The cursor is damaged: send back what `_meta.next` held, or start without one', path }
  if (query !== null && text.v !== query.version) return { message: OUT_OF_DATE, path }
  const figures: Figures = new Map()
  for (const [values, count, sums, extremes] of text.g)
    addGroup(figures, {
      values,
      count,
      sums: sums.map(([total, lost, numbers]) => [total ?? Number.NaN, lost ?? Number.NaN, numbers]),
      extremes,
    })
  const [entries, stageEntries, dropped] = text.e
  const after = text.a && { rid: text.a[0], value: text.a[1] }
  return { source: text.s, stage: text.n, after, entries, stageEntries, dropped, figures }
}

export const OUT_OF_DATE =
  'The cursor is out of date, because the definition of the procedure has changed since: start without one'

function decode(cursor: string): z.infer<typeof CursorText> | null {
  try {
    return CursorText.parse(decodeCursor(cursor))
  } catch {
    return null
  }
}
