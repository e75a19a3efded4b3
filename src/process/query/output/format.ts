import { choosePreferredType, notAcceptableError } from '../../../http/request/accept.ts'

/** The formats of a list. `excel` is CSV with a byte order mark, in which no text is a formula. */
export const LIST_FORMATS = ['json', 'csv', 'excel', 'ndjson'] as const
export type ListFormat = (typeof LIST_FORMATS)[number]

const JSON_TYPE = 'application/json'
const CSV_TYPE = 'text/csv'
const NDJSON_TYPE = 'application/x-ndjson'
const OFFERED = [JSON_TYPE, CSV_TYPE, NDJSON_TYPE] as const

const FORMAT_BY_TYPE = { [JSON_TYPE]: 'json', [CSV_TYPE]: 'csv', [NDJSON_TYPE]: 'ndjson' } as const

/** The content type and the file extension of each format. */
export const FILE_BY_FORMAT: Record<ListFormat, { type: string; ending: string }> = {
  json: { type: JSON_TYPE, ending: 'json' },
  csv: { type: `${CSV_TYPE}; charset=utf-8`, ending: 'csv' },
  excel: { type: `${CSV_TYPE}; charset=utf-8`, ending: 'csv' },
  ndjson: { type: NDJSON_TYPE, ending: 'ndjson' },
}

/** Chooses the format. `format` in the query comes before the header: whoever writes an address by hand has no other way. */
export function chooseFormat(accept: string | undefined, format: ListFormat | undefined): ListFormat {
  if (format !== undefined) return format
  const type = choosePreferredType(accept, OFFERED)
  if (type === undefined)
    throw notAcceptableError(accept ?? '', OFFERED, `or send format=${LIST_FORMATS.join(', ')} in the query`)
  return FORMAT_BY_TYPE[type]
}
