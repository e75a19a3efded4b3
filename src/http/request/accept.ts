import { AppError } from '../../errors.ts'
import { listWords } from '../../suggest.ts'

/** One range of an `accept` header, such as `text/csv;q=0.5`. */
interface MediaRange {
  type: string
  parameters: ReadonlyMap<string, string>
  quality: number
}

/** Splits a text at separators that do not stand in quotes. */
const splitParts = (text: string, separator: ',' | ';'): string[] =>
  (text.match(separator === ',' ? /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g : /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g) ?? []).map(
    each => each.trim(),
  )

function readRange(text: string): MediaRange {
  const [type = '', ...rest] = splitParts(text, ';')
  const parameters = new Map(
    rest.map(each => {
      const [name = '', value = ''] = each.split('=', 2)
      return [name.trim().toLowerCase(), value.trim().replaceAll('"', '').toLowerCase()]
    }),
  )
  const quality = Number(parameters.get('q') ?? 1)
  return { type: type.toLowerCase(), parameters, quality: Number.isFinite(quality) ? Math.min(1, quality) : 1 }
}

/** Returns how exactly a range names a type: 2 by name, 1 by its first half, 0 by a wildcard; undefined if it does not. */
function matchExactness({ type, parameters }: MediaRange, offered: string): number | undefined {
  // Text is always UTF-8, and a table always has a line of names.
  const charset = parameters.get('charset') ?? 'utf-8'
  if (!['utf-8', 'utf8', 'us-ascii'].includes(charset) || parameters.get('header') === 'absent') return undefined
  if (type === offered) return 2
  if (type === `${offered.split('/')[0]}/*`) return 1
  return type === '*/*' || type === '*' ? 0 : undefined
}

/**
 * Chooses the type that a client prefers among those offered (RFC 9110, 12.5.1). The most exact range gives the quality of a
 * type. Of types with equal quality, one that is named comes before one that a wildcard accepts, and then the first offered.
 */
export function choosePreferredType<Type extends string>(
  accept: string | undefined,
  offered: readonly Type[],
): Type | undefined {
  if (accept === undefined || accept.trim() === '') return offered[0]
  const ranges = splitParts(accept, ',').map(readRange)
  const liked = offered.flatMap(type => {
    const [best] = ranges
      .map((range, nth) => ({ ...range, nth, exactness: matchExactness(range, type) ?? -1 }))
      .filter(({ exactness }) => exactness >= 0)
      .sort((one, other) => other.exactness - one.exactness)
    return best === undefined || best.quality <= 0 ? [] : [{ ...best, type }]
  })
  const order = (one: (typeof liked)[number], other: (typeof liked)[number]) =>
    other.quality - one.quality || other.exactness - one.exactness || (one.exactness === 2 ? one.nth - other.nth : 0)
  return liked.sort(order)[0]?.type
}

export const notAcceptableError = (accept: string, offered: readonly string[], hint: string): AppError =>
  new AppError('not_acceptable', [
    {
      message: `the accept header ${JSON.stringify(accept.slice(0, 100))} takes nothing that there is: ${listWords(offered)}`,
      path: '/header/accept',
      hint,
    },
  ])
