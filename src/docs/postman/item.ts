import type { Documented, Parameter } from '../reference/operation.ts'
import { exampleRequest } from '../samples/example-request.ts'
import { JSON_SYNTAX, literal } from '../samples/literal.ts'
import { isVariable, scriptOf } from './variables.ts'

const text = (value: unknown): string => literal(value, JSON_SYNTAX, { indent: '  ', used: 0 })

/** One request of the collection, with the response that the document shows for it. */
export function itemOf(documented: Documented, origin: string) {
  const { method, path, operation, parameters } = documented
  const { body, upload, needsToken } = exampleRequest(documented, origin)
  const request = {
    method: method.toUpperCase(),
    ...(needsToken ? {} : { auth: { type: 'noauth' } }),
    description: operation.description,
    header: [
      ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
      ...parameters.filter(each => each.in === 'header').map(each => ({ ...field(each), disabled: true })),
    ],
    url: urlOf(path, parameters),
    ...(body === undefined ? {} : { body: { mode: 'raw', raw: text(body), options: { raw: { language: 'json' } } } }),
    ...(upload === undefined
      ? {}
      : { body: { mode: 'formdata', formdata: [{ key: 'file', type: 'file', src: upload }] } }),
  }
  const script = scriptOf(documented)
  return {
    id: operation.operationId,
    name: operation.summary,
    ...(script.length === 0 ? {} : { event: [{ listen: 'test', script: { type: 'text/javascript', exec: script } }] }),
    request,
    response: responsesOf(documented, request),
  }
}

const field = ({ name, description, example }: Parameter) => ({
  key: name,
  value: example === undefined ? '' : String(example),
  ...(description === undefined ? {} : { description }),
})

/** What is only sent on occasion is there, and switched off. */
function urlOf(path: string, parameters: Parameter[]) {
  const parts = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1')
  const query = parameters.flatMap(each =>
    each.in === 'query' ? [{ ...field(each), ...(each.example === undefined ? { disabled: true } : {}) }] : [],
  )
  const variable = parameters.flatMap(each =>
    each.in === 'path' ? [{ ...field(each), ...(isVariable(each.name) ? { value: `{{${each.name}}}` } : {}) }] : [],
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

const responsesOf = ({ responses }: Documented, originalRequest: object) =>
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
            body: typeof example === 'string' ? example : text(example),
          },
    ),
  )
