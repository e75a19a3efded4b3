import type { Sent } from './postman.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

interface Shown {
  operationId: string
  parameters: { name?: string; in?: string; example?: Json }[]
  requestBody?: { content: Record<string, { example?: Json }> }
  responses: Record<string, { content?: Record<string, { example?: Json }> }>
}
export interface Examples {
  paths: Record<string, Record<string, Shown>>
}

const isObject = (value: Json | undefined): value is { [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Attributes of processes and customers are the team's: an example may show others. */
const FREE = /\/(data|group|sum|components|apiData)(\/\d+)?$/
/** The members that are only there if they have something to say. */
const OPTIONAL = /\/(deliveryStatusVsCount|deliveryFailures|retries|processKey|warnings)$/
/** The members that follow from the request, although no field of it has the name. */
const FOLLOWING = /^\/_data\/(total|type|isDeleted)$/

/** Lists members of an example that contradict the response to its own request. The id stands for the operation. */
export function contradictions({ paths }: Examples, sent: readonly Sent[]): string[] {
  const operations = new Map(
    Object.values(paths).flatMap(methods => Object.values(methods).map(each => [each.operationId, each] as const)),
  )
  return sent.flatMap(({ id, status, body }) => {
    const operation = operations.get(id)
    const example = operation?.responses[status]?.content?.['application/json']?.example
    if (operation === undefined || example === undefined || status >= 400) return []
    return differences(example, JSON.parse(body) as Json, collectValues(operation)).map(
      each => `${id} ${status} ${each}`,
    )
  })
}

/** Collects the sent values, by the name of their field or parameter. */
function collectValues({ parameters, requestBody }: Shown): Map<string, Json> {
  const values = new Map<string, Json>()
  const look = (value: Json): void => {
    if (Array.isArray(value)) for (const each of value) look(each)
    if (!isObject(value)) return
    for (const [name, each] of Object.entries(value)) {
      if (typeof each === 'object') look(each)
      else values.set(name, each)
    }
  }
  for (const { name = '', example } of parameters) if (example !== undefined) values.set(name, example)
  look(requestBody?.content['application/json']?.example ?? {})
  const procedure = values.get('procedureShortId')
  if (procedure !== undefined) values.set('shortId', procedure)
  return values
}

/** The kind of a value: a UUID in the example must not be a name in the response. */
function getKind(value: Json | undefined): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'number') return value > 1e12 ? 'time' : 'number'
  if (typeof value !== 'string') return typeof value
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}$/.test(value)) return 'UUID'
  return /^https?:/.test(value) ? 'address' : 'text'
}

function differences(example: Json, real: Json, sent: Map<string, Json>, at = ''): string[] {
  if (Array.isArray(example) && Array.isArray(real)) {
    const [shown, first] = [example[0], real[0]]
    return shown === undefined || first === undefined ? [] : differences(shown, first, sent, `${at}/0`)
  }
  if (isObject(example) && isObject(real)) {
    const names = [...new Set([...Object.keys(example), ...Object.keys(real)])]
    return names.flatMap(name => {
      const [shown, is] = [example[name], real[name]]
      if (shown !== undefined && is !== undefined) return differences(shown, is, sent, `${at}/${name}`)
      return FREE.test(at) || OPTIONAL.test(`${at}/${name}`)
        ? []
        : [`${at}/${name}: ${shown === undefined ? 'is not shown' : 'is not in the response'}`]
    })
  }
  const name = at.split('/').at(-1) ?? ''
  const isDetermined = sent.get(name) === real || FOLLOWING.test(at)
  if (isDetermined && example !== real)
    return [`${at}: ${JSON.stringify(example)} is shown, and ${JSON.stringify(real)} was the response`]
  const [shown, is] = [getKind(example), getKind(real)]
  const canBe = !example || !real || FREE.test(at.slice(0, at.lastIndexOf('/')))
  return shown === is || canBe ? [] : [`${at}: a ${shown} is shown, and a ${is} was the response`]
}
