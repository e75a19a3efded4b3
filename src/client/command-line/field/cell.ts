import { ATTRIBUTE_TYPES } from '../../../procedure/model.ts'
import type { Procedure } from '../../client.ts'

/** Converts text to the type of the attribute. Text that does not fit is sent unchanged: the API reports the error. */
export function parseCell(attribute: Pick<Procedure['attributes'][number], 'type'> | undefined, text: string): unknown {
  switch (attribute === undefined ? 'text' : ATTRIBUTE_TYPES[attribute.type]) {
    case 'number':
      return attribute?.type === 'datetime' ? parseTime(text) : numberOf(text)
    case 'boolean':
      return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text
    case 'list':
      return listOf(attribute?.type ?? '', text)
    case 'document':
      return jsonOf(text)
    default:
      return text
  }
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/i

/** A point in time in ISO 8601 with its offset becomes epoch milliseconds, as the API stores it. */
export function parseTime(text: string): unknown {
  const at = ISO_TIME.test(text.trim()) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? numberOf(text) : at
}

/** Only if nothing is lost: `007` and numbers of twenty digits stay text. */
const numberOf = (text: string): unknown => (String(Number(text)) === text.trim() ? Number(text) : text)

const listOf = (type: string, text: string): unknown => {
  if (text.trimStart().startsWith('[')) return jsonOf(text)
  const items = text.split(';').map(item => item.trim())
  return items.filter(item => item !== '').map(item => (/Integer|Float/.test(type) ? numberOf(item) : item))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
