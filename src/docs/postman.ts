import type { About } from '../http/openapi/document.ts'
import type { DocumentedOperation, Parameter } from './reference/document.ts'
import type { Schema } from './reference/schema.ts'
import { formatLiteral, JSON_SYNTAX } from './samples/literal.ts'
import { buildExampleRequest } from './samples/request.ts'

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/** Builds a Postman collection of all operations, with the examples of the document. The id in a response is remembered for the next requests. */
export function buildPostmanCollection(
  documented: readonly DocumentedOperation[],
  { title, description, version, tags, server }: About,
) {
  const operations = [...documented].sort((one, other) => getRank(one) - getRank(other))
  const ids = new Map(
    operations
      .flatMap(({ parameters }) => parameters)
      .filter(({ in: place, name }) => place === 'path' && isVariable(name))
      .map(({ name, description }) => [
        name,
        {
          key: name,
          value: '',
          description: `${description} Filled in by the requests that create or list it.`,
        },
      ]),
  )
  return {
    info: { name: title, description, version, schema: SCHEMA },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: server, description: 'The address of the installation.' },
      { key: 'token', value: '', description: 'An API key: `cw_…`' },
      ...ids.values(),
    ],
    item: tags.map(tag => ({
      name: tag.name,
      description: tag.description,
      item: operations.filter(({ operation }) => operation.tags.includes(tag.name)).map(buildItem),
    })),
  }
}

/** The order of the requests in a folder: something is created before it is read, then changed, deleted and restored. */
const RANKS = [/^(create|put|upload|schedule|bulk|send|find)/, /^(list|get|count|aggregate)/, /./]
const LAST_RANKS = [/^(delete|revoke|remove|erase)/, /^restore/]

function getRank({ operation: { operationId } }: DocumentedOperation): number {
  const last = LAST_RANKS.findIndex(pattern => pattern.test(operationId))
  return last >= 0 ? RANKS.length + last : RANKS.findIndex(pattern => pattern.test(operationId))
}

const format = (value: unknown): string => formatLiteral(value, JSON_SYNTAX, { indent: '  ', used: 0 })

/** Builds one request of the collection, with the example response of the document. */
function buildItem(documented: DocumentedOperation) {
  const { method, path, operation, parameters } = documented
  const { body, upload, needsToken } = buildExampleRequest(documented, '')
  const request = {
    method: method.toUpperCase(),
    ...(needsToken ? {} : { auth: { type: 'noauth' } }),
    description: operation.description,
    header: [
      ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
      ...parameters.filter(({ in: place }) => place === 'header').map(each => ({ ...toField(each), disabled: true })),
    ],
    url: buildUrl(path, parameters),
    ...(body === undefined ? {} : { body: { mode: 'raw', raw: format(body), options: { raw: { language: 'json' } } } }),
    ...(upload === undefined
      ? {}
      : { body: { mode: 'formdata', formdata: [{ key: 'file', type: 'file', src: upload }] } }),
  }
  const script = buildScript(documented)
  return {
    id: operation.operationId,
    name: operation.summary,
    ...(script.length === 0 ? {} : { event: [{ listen: 'test', script: { type: 'text/javascript', exec: script } }] }),
    request,
    response: buildResponses(documented, request),
  }
}

const toField = ({ name, description, example }: Parameter) => ({
  key: name,
  value: example === undefined ? '' : String(example),
  ...(description === undefined ? {} : { description }),
})

/** Builds an address. A query parameter without an example is included, and switched off. */
function buildUrl(path: string, parameters: Parameter[]) {
  const parts = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1')
  const query = parameters.flatMap(each =>
    each.in === 'query' ? [{ ...toField(each), ...(each.example === undefined ? { disabled: true } : {}) }] : [],
  )
  const variable = parameters.flatMap(each =>
    each.in === 'path' ? [{ ...toField(each), ...(isVariable(each.name) ? { value: `{{${each.name}}}` } : {}) }] : [],
  )
  const sent = query.filter(each => !('disabled' in each)).map(({ key, value }) => `${key}=${value}`)
  return {
    raw: `{{baseUrl}}/${parts}${sent.length === 0 ? '' : `?${sent.join('&')}`}`,
    host: ['{{baseUrl}}'],
    path: parts.split('/'),
    ...(query.length === 0 ? {} : { query }),
    ...(variable.length === 0 ? {} : { variable }),
  }
}

const buildResponses = ({ responses }: DocumentedOperation, originalRequest: object) =>
  responses.flatMap(([status, { description, content = {} }]) =>
    Object.entries(content).flatMap(([type, { example }]) =>
      example === undefined
        ? []
        : {
            name: description,
            originalRequest,
            code: Number(status),
            _postman_previewlanguage: type === 'application/json' ? 'json' : 'text',
            header: [{ key: 'Content-Type', value: type }],
            body: typeof example === 'string' ? example : format(example),
          },
    ),
  )

/** The components of responses whose id later requests need, with the variables of the collection that hold it. */
const VARIABLES: Record<string, string> = {
  Customer: 'recordId',
  Process: 'processId',
  BackgroundJob: 'backgroundJobId',
  Plugin: 'pluginId',
  StoredMessage: 'messageId',
  Message: 'messageId',
  UserV1: 'userId',
  SingleUserV1: 'userId',
  UserV2: 'userId',
  SingleUserV2: 'userId',
  ApiKey: 'keyId',
  IssuedApiKey: 'keyId',
  Session: 'sessionId',
  Passkey: 'passkeyId',
  Webhook: 'webhookId',
  IssuedWebhook: 'webhookId',
  SavedView: 'savedViewId',
  LoggedRequest: 'requestId',
}
const VARIABLE_NAMES = new Set(Object.values(VARIABLES))

/** Tells whether a path parameter is a variable of the collection. All others have the value of their example. */
const isVariable = (name: string): boolean => VARIABLE_NAMES.has(name)

const getComponent = (schema: Schema | undefined): string | undefined => schema?.$ref?.split('/').at(-1)

/** Returns the component of `_data`, or of its items; undefined if there is none. */
function getDataComponent({ responses }: DocumentedOperation): string | undefined {
  const success = responses.find(([status]) => status < '300')?.[1]
  const data = success?.content?.['application/json']?.schema?.properties?._data
  return getComponent(data) ?? getComponent(data?.items)
}

/** Builds the script that remembers the id of a new object. Of a list it takes the first one, if no id is known yet. */
function buildScript(documented: DocumentedOperation): string[] {
  const variable = VARIABLES[getDataComponent(documented) ?? '']
  if (variable === undefined) return []
  return [
    'const { _data } = pm.response.code < 300 ? pm.response.json() : {}',
    `const isKnown = pm.collectionVariables.get('${variable}') !== ''`,
    'const found = Array.isArray(_data) ? (isKnown ? undefined : _data[0]) : _data',
    `if (found) pm.collectionVariables.set('${variable}', found.id)`,
  ]
}
