import type { FilterKind } from '../../parts/attribute/types.ts'
import type { FilterField } from './fields.ts'
import type { Operator } from './tree.ts'

const ANY: readonly [Operator, string][] = [
  ['=', 'is any of'],
  ['!=', 'is none of'],
]
const RANGE: readonly [Operator, string][] = [
  ['>=', 'is at least'],
  ['>', 'is more than'],
  ['<=', 'is at most'],
  ['<', 'is less than'],
]
const EQUAL: readonly [Operator, string][] = [
  ['=', 'is'],
  ['!=', 'is not'],
]
const WHEN: readonly [Operator, string][] = [
  ['>=', 'is from'],
  ['<', 'is before'],
  ['>', 'is after'],
  ['<=', 'is until'],
]
const PRESENCE: readonly [Operator, string][] = [
  ['set', 'is set'],
  ['unset', 'is not set'],
]

const OF_KIND: Record<FilterKind, readonly (readonly [Operator, string])[]> = {
  text: [
    ...EQUAL,
    ['contains', 'contains'],
    ['startsWith', 'starts with'],
    ['>=', 'from (text)'],
    ['<', 'before (text)'],
  ],
  exact: EQUAL,
  number: [...EQUAL, ...RANGE],
  moment: [...WHEN, ...EQUAL],
  date: [...EQUAL, ...WHEN],
  time: [...EQUAL, ...WHEN],
  boolean: EQUAL,
  choice: ANY,
  list: [
    ['=', 'has any of'],
    ['!=', 'has none of'],
  ],
  presence: [],
}

export const operatorsOf = ({ kind, mayBeUnset }: FilterField): { value: Operator; label: string }[] =>
  [...OF_KIND[kind], ...(mayBeUnset ? PRESENCE : [])].map(([value, label]) => ({ value, label }))
