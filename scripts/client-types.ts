// Generates the client's types and its table of operations from the OpenAPI document. Pure functions.

interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  maxItems?: number
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
}
interface Parameter {
  $ref?: string
  name?: string
  in?: string
  required?: boolean
  schema?: Schema
  description?: string
}
type Content = Record<string, { schema?: Schema }>
interface Operation {
  operationId: string
  summary: string
  parameters?: Parameter[]
  'x-permission'?: string
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
  'x-error-codes': { code: string; cause: string; remedy: string }[]
}

interface DescribedOperation extends Operation {
  method: string
  path: string
}

const HEADING = '// Generated from the OpenAPI document by `npm run client`. Do not edit.\n\n'
const JSON_TYPE = 'application/json'
const ERROR = /_error$/
/** Parts of the envelope, which the client types itself. */
const FRAME = ['RequestId', 'NoErrors', 'NoData']

const withoutNotes = (type: string): string => type.replace(/\/\*\*.*\*\/\n/g, '')
const toName = (ref: string): string => ref.split('/').at(-1) ?? ''
const upper = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1)
const quote = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`)
const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value))
const note = (text: string | undefined): string => (text === undefined ? '' : `/** ${text.replaceAll('*/', '*')} */\n`)

/** Arrays in requests are read-only; those in responses belong to the caller. */
type Direction = 'sent' | 'received'

function toType(schema: Schema, direction: Direction): string {
  const { $ref, const: only, enum: values, oneOf, anyOf = oneOf, allOf, type } = schema
  if ($ref !== undefined) return toName($ref)
  if (only !== undefined) return literal(only)
  if (values !== undefined) return values.map(literal).join(' | ')
  if (anyOf !== undefined) return [...new Set(anyOf.map(each => toType(each, direction)))].join(' | ')
  if (allOf !== undefined) return toObjectType(joinParts(allOf), direction)
  const types = type === undefined ? [] : [type].flat()
  if (types.length > 1) return types.map(each => toType({ ...schema, type: each }, direction)).join(' | ')
  switch (types[0]) {
    case 'array':
      return toArrayType(schema, direction)
    case 'object':
      return toObjectType(schema, direction)
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return types[0]
    default:
      return 'unknown'
  }
}

/** The parts of one object: its named fields, and the type of all others. */
const joinParts = (parts: Schema[]): Schema => Object.assign({}, ...parts)

const toArrayType = ({ items = {}, maxItems }: Schema, direction: Direction): string =>
  `${direction === 'sent' ? 'readonly ' : ''}(${maxItems === 0 ? 'never' : toType(items, direction)})[]`

function toObjectType({ properties = {}, required = [], additionalProperties }: Schema, direction: Direction): string {
  const members = Object.entries(properties).map(([name, each]) => {
    const isRequired = required.includes(name)
    const type = toType(each, direction)
    return `${note(each.description)}${quote(name)}${isRequired ? `: ${type}` : `?: ${type} | undefined`}`
  })
  if (members.length === 0 && additionalProperties === false) return 'Record<string, never>'
  const open = additionalProperties === undefined || additionalProperties === true ? {} : additionalProperties
  if (open !== false) members.push(`[member: string]: ${openType(open, members.length > 0, direction)}`)
  return `{\n${members.join('\n')}\n}`
}

/** Named fields may be absent. Their types are among those of the others: the schema says so. */
function openType(open: Schema, hasNamed: boolean, direction: Direction): string {
  const type = toType(open, direction)
  return hasNamed && type !== 'unknown' ? `${type} | undefined` : type
}

const declareType = (name: string, schema: Schema, direction: Direction): string => {
  const type = toType(schema, direction)
  const isInterface =
    schema.anyOf === undefined && schema.oneOf === undefined && (schema.type === 'object' || schema.allOf !== undefined)
  return `${note(schema.description)}export ${isInterface ? `interface ${name} ${type}` : `type ${name} = ${type}`}\n`
}

const listDescribed = ({ paths }: Document): DescribedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )

const success = ({ responses }: Operation): Content | undefined =>
  Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content

/** The file of the types in responses. */
export function shapesFile(document: Document): string {
  const { schemas } = document.components
  const sent = collectSentNames(document)
  const shapes = Object.entries(schemas)
    .filter(([name]) => !ERROR.test(name) && !FRAME.includes(name) && !sent.has(name))
    .map(([name, schema]) => declareType(name, schema, 'received'))
  return HEADING + shapes.join('\n')
}

export function bodiesFile(document: Document): string {
  const sent = collectSentNames(document)
  const shared = [...sent].map(name => declareType(name, document.components.schemas[name] ?? {}, 'sent'))
  const known = new Map<string, string>()
  const declareOnce = (name: string, schema: Schema | undefined): string[] => {
    if (schema === undefined) return []
    const text = toType(schema, 'sent')
    const twin = known.get(text)
    known.set(text, twin ?? name)
    return [twin === undefined ? declareType(name, schema, 'sent') : `export type ${name} = ${twin}\n`]
  }
  const own = listDescribed(document).flatMap(operation => [
    ...declareOnce(`${upper(operation.operationId)}Body`, operation.requestBody?.content[JSON_TYPE]?.schema),
    ...declareOnce(`${upper(operation.operationId)}Query`, inAddress(operation, 'query')),
  ])
  return HEADING + [...shared, ...own].join('\n')
}

/** The named schemas that occur in requests, those inside them included. */
function collectSentNames(document: Document): Set<string> {
  const found = new Set<string>()
  const look = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value ?? {}).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (found.has(name)) continue
      found.add(name)
      look(document.components.schemas[name])
    }
  }
  for (const { requestBody } of listDescribed(document)) look(requestBody)
  return found
}

function inAddress({ parameters = [] }: Operation, place: 'path' | 'query'): Schema | undefined {
  const found = parameters.filter(each => each.in === place)
  if (found.length === 0) return undefined
  const properties = found.map(({ name = '', schema = {}, description }) => [
    name,
    { ...schema, ...(description === undefined ? {} : { description }) },
  ])
  const required = found.flatMap(({ name = '', required: isRequired }) => (isRequired ? [name] : []))
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false }
}

/** What the errors of all codes have; the document repeats it for each. */
const COMMON_FAULT = `interface CommonFault<Code extends string> {
/** What went wrong. Programs compare it. */
code: Code
/** A sentence for people. */
message: string
/** A JSON Pointer into the request. */
path?: string | undefined
/** The correction, if there is only one. */
hint?: string | undefined
/** The address of the explanation. */
docs: string
}`
const COMMON = ['code', 'message', 'path', 'hint', 'docs']

/** The file of the errors by code: common fields and details. */
export function faultsFile(document: Document): string {
  const faults = document['x-error-codes'].map(({ code, cause, remedy }) => {
    const schema = document.components.schemas[`${code}_error`]?.properties?._meta?.properties?.errors?.items
    const details = Object.entries(schema?.properties ?? {}).filter(([name]) => !COMMON.includes(name))
    const properties = Object.fromEntries(details)
    const more = details.length === 0 ? '' : ` & ${toObjectType({ ...schema, properties }, 'received')}`
    return `${note(`${cause} ${remedy}`)}${code}: CommonFault<'${code}'>${more}`
  })
  return `${HEADING}${COMMON_FAULT}\n\n/** The errors by code. */\nexport interface Faults {\n${faults.join('\n')}\n}\n\nexport type ErrorCode = keyof Faults\n`
}

export function operationsFile(document: Document): string {
  const operations = listDescribed(document)
  const table = operations.map(
    each =>
      `${each.operationId}: { method: '${each.method}', path: '${each.path}', retry: '${getRetryMode(each)}'${isStream(each) ? ', stream: true' : ''} },`,
  )
  const types = operations.map(operation => `${note(operation.summary)}${operation.operationId}: ${toCall(operation)}`)
  const text = types.join('\n')
  const using = (names: string[]) => names.filter(name => new RegExp(`\\b${name}\\b`).test(text)).sort()
  const imported = (file: string, names: string[]) => `import type { ${using(names).join(', ')} } from './${file}.ts'\n`
  const bodies = [...bodiesFile(document).matchAll(/^export (?:interface|type) (\w+)/gm)].map(match => match[1] ?? '')
  return `${HEADING}${imported('bodies', bodies)}${imported('shapes', Object.keys(document.components.schemas))}
/** Method and path of each operation; how it is retried: with an idempotency key, without (safe), or never; whether it returns a stream. */
export const OPERATIONS = {\n${table.join('\n')}\n} as const

/** The input and the result of each operation. */
export interface Operations {\n${text}\n}
`
}

const isStream = (operation: Operation): boolean => success(operation)?.[JSON_TYPE] === undefined

/** Deleting by primary key is not retried: the key may name another process by then. */
function getRetryMode({ method, path, parameters = [], ...operation }: DescribedOperation): 'key' | 'safe' | 'never' {
  if (parameters.some(({ $ref = '' }) => toName($ref) === 'Idempotency-Key')) return 'key'
  if (method === 'GET' || operation['x-permission']?.endsWith(':read')) return 'safe'
  return method === 'DELETE' && !path.includes('{primaryKeyValue}') ? 'safe' : 'never'
}

function toCall(operation: DescribedOperation): string {
  const { operationId, requestBody, parameters = [] } = operation
  const path = inAddress(operation, 'path')
  const content = success(operation)
  const envelope = content?.[JSON_TYPE]?.schema?.properties ?? {}
  const [data, meta] = [envelope._data, envelope._meta]
  const { requestId: _, ...more } = meta?.properties ?? {}
  const body = requestBody?.content[JSON_TYPE] === undefined ? 'FormData' : `${upper(operationId)}Body`
  const members = [
    ...(path === undefined ? [] : [`path: ${withoutNotes(toType(path, 'sent'))}`]),
    ...(parameters.some(each => each.in === 'query') ? [`query: ${upper(operationId)}Query`] : []),
    ...(requestBody === undefined ? [] : [`body: ${body}`]),
    `data: ${data === undefined ? 'ReadableStream<Uint8Array>' : toType(data, 'received')}`,
    ...(Object.keys(more).length === 0
      ? []
      : [
          `meta: ${withoutNotes(toObjectType({ properties: more, required: meta?.required ?? [], additionalProperties: false }, 'received'))}`,
        ]),
  ]
  return `{\n${members.join('\n')}\n}`
}
