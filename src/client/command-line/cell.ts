import { ATTRIBUTE_TYPES } from '../../procedure/model.ts'
import type { Procedure } from '../client.ts'

/** Converts text to the type of the attribute. Text that does not fit is sent unchanged: the API reports the error. */
export function parseCell(attribute: Pick<Procedure['attributes'][number], 'type'> | undefined, text: string): unknown {
  switch (attribute === undefined ? 'text' : ATTRIBUTE_TYPES[attribute.type]) {
    case 'number':
      return numberOf(text)
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
