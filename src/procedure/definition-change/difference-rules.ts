import type { Attribute, Definition, State } from '../model.ts'

/** A member of a definition with its value before and after. A missing value is null. */
interface FieldDifference {
  field: string
  from: unknown
  to: unknown
}

/** A part of a definition that was added, removed or changed. */
export interface DefinitionDifference {
  subject: 'procedure' | 'state' | 'attribute'
  shortId: string
  change: 'added' | 'removed' | 'changed'
  fields: FieldDifference[]
}

const OWN_FIELDS = ['name', 'startState', 'completedState', 'primaryKey', 'phoneAttribute', 'strict'] as const
const STATE_FIELDS = ['name', 'next', 'status', 'startsHere'] as const
const ATTRIBUTE_FIELDS = ['name', 'type', 'required', 'indexed', 'searchable', 'personal', 'values'] as const

/** Lists the differences between two definitions of a procedure: its own members first, then states, then attributes. */
export function listDifferences(
  shortId: string,
  before: Definition | undefined,
  next: Definition,
): DefinitionDifference[] {
  const own = listFieldDifferences(OWN_FIELDS, before, next)
  const orders = before
    ? [
        ...listOrderDifferences('states', before.states, next.states),
        ...listOrderDifferences('attributes', before.attributes, next.attributes),
      ]
    : []
  const fields = [...own, ...orders]
  return [
    ...(fields.length > 0
      ? [{ subject: 'procedure' as const, shortId, change: before ? ('changed' as const) : ('added' as const), fields }]
      : []),
    ...listPartsDifferences<State>('state', STATE_FIELDS, before?.states ?? [], next.states),
    ...listPartsDifferences<Attribute>('attribute', ATTRIBUTE_FIELDS, before?.attributes ?? [], next.attributes),
  ]
}

function listPartsDifferences<Part extends { shortId: string }>(
  subject: DefinitionDifference['subject'],
  names: readonly (keyof Part & string)[],
  before: readonly Part[],
  next: readonly Part[],
): DefinitionDifference[] {
  const old = new Map(before.map(part => [part.shortId, part]))
  const kept = new Set(next.map(({ shortId }) => shortId))
  return [
    ...next.flatMap(part => {
      const known = old.get(part.shortId)
      const fields = listFieldDifferences(names, known, part)
      const change = known ? ('changed' as const) : ('added' as const)
      return known && fields.length === 0 ? [] : [{ subject, shortId: part.shortId, change, fields }]
    }),
    ...before.flatMap(part =>
      kept.has(part.shortId)
        ? []
        : [
            {
              subject,
              shortId: part.shortId,
              change: 'removed' as const,
              fields: listFieldDifferences(names, part, undefined),
            },
          ],
    ),
  ]
}

/** Converts a member for comparison: absent, null and the default are the same. The default is false, but true for `startsHere`. */
const toComparableMember = (field: string, value: unknown): unknown =>
  value === undefined || value === (field === 'startsHere') ? null : value

function listFieldDifferences<Part>(
  names: readonly (keyof Part & string)[],
  before: Part | undefined,
  next: Part | undefined,
): FieldDifference[] {
  return names.flatMap(field => {
    const [from, to] = [before?.[field], next?.[field]]
    return JSON.stringify(toComparableMember(field, from)) === JSON.stringify(toComparableMember(field, to))
      ? []
      : [{ field, from: from ?? null, to: to ?? null }]
  })
}

/** Compares the order of the parts that both have. Parts that were added or removed are listed elsewhere. */
function listOrderDifferences(
  field: string,
  before: readonly { shortId: string }[],
  next: readonly { shortId: string }[],
): FieldDifference[] {
  const shared = (parts: typeof before, others: typeof before) => {
    const known = new Set(others.map(({ shortId }) => shortId))
    return parts.flatMap(({ shortId }) => (known.has(shortId) ? [shortId] : []))
  }
  const [from, to] = [shared(before, next), shared(next, before)]
  return from.every((shortId, nth) => shortId === to[nth]) ? [] : [{ field, from, to }]
}
