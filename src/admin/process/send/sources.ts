import type { BulkSendTemplateMessageBody, Process } from 'caseworker'
import { PARTS, type Placeholders } from '../../parts/message/template-text.ts'

/** The source of a placeholder's value: an attribute of each process, or one text for all. */
export type Source = { attribute: string } | { text: string }

export type Sources = Record<keyof Placeholders, Record<string, Source>>

export const NO_SOURCES: Sources = { mapping: {}, headerMapping: {}, buttonMapping: {} }

/** An attribute of a process as a message says it: as the API does. Undefined: it has nothing to say, and the entry fails. */
function formatAttribute({ data }: Process, attribute: string): string | undefined {
  const value = data[attribute]
  const values: unknown[] = Array.isArray(value) ? value : [value]
  if (values.some(each => !['string', 'number', 'boolean'].includes(typeof each))) return undefined
  return values.join(', ') || undefined
}

/** The values for one process, and the attributes that it lacks. */
export function valuesFor(process: Process, sources: Sources) {
  const missing: string[] = []
  const resolveValues = (part: keyof Placeholders) =>
    Object.fromEntries(
      Object.entries(sources[part]).map(([name, source]) => {
        if ('text' in source) return [name, source.text]
        const text = formatAttribute(process, source.attribute)
        if (text === undefined) missing.push(source.attribute)
        return [name, text ?? '']
      }),
    )
  const values = {
    mapping: resolveValues('mapping'),
    headerMapping: resolveValues('headerMapping'),
    buttonMapping: resolveValues('buttonMapping'),
  }
  return { values, missing: [...new Set(missing)] }
}

/** Returns whether each placeholder has a source. */
export const isWhole = (names: Placeholders, sources: Sources): boolean =>
  PARTS.every(([part]) =>
    names[part].every(name => {
      const source = sources[part][name]
      return source !== undefined && ('attribute' in source || source.text !== '')
    }),
  )

type Lists = Pick<BulkSendTemplateMessageBody, 'mapping' | 'headerMapping' | 'buttonMapping'>

/** The lists of the request. */
export function toSourceLists(sources: Sources): Lists {
  const toList = (part: keyof Placeholders) =>
    Object.entries(sources[part]).map(([schemaPropertyName, source]) =>
      'text' in source
        ? { schemaPropertyName, schemaPropertyValue: source.text }
        : { schemaPropertyName, attribute: source.attribute },
    )
  return { mapping: toList('mapping'), headerMapping: toList('headerMapping'), buttonMapping: toList('buttonMapping') }
}
