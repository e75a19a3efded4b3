import { ATTRIBUTE_TYPES, typeWords } from '../../parts/form/attribute-words.ts'

/** Every type that an attribute may have, in words, and as the API calls it. */
export const TYPE_OPTIONS = ATTRIBUTE_TYPES.map(value => ({ value, label: `${typeWords(value)} · ${value}` }))
