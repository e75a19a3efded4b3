import { ATTRIBUTE_TYPES, getTypeRules } from '../../parts/attribute/types.ts'

/** Every type that an attribute may have, in words, and as the API calls it. */
export const TYPE_OPTIONS = ATTRIBUTE_TYPES.map(value => ({ value, label: `${getTypeRules(value).words} · ${value}` }))
