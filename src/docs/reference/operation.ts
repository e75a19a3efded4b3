import { openapi } from '../../http/openapi/document.ts'
import type { Route } from '../../http/route.ts'
import { about } from '../about.ts'
import type { Resolve, Schema } from './schema.ts'

interface Media {
  schema?: Schema
  example?: unknown
  examples?: Record<string, unknown>
}
export interface Parameter {
  $ref?: string
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}
export interface DocumentedResponse {
  $ref?: string
  description: string
  headers?: Record<string, unknown>
  /** What callers get who ask for another format. */
  'x-other-content'?: Record<string, unknown>
  content?: Record<string, Media>
}
/** An operation as the OpenAPI document has it, as far as its page shows it. */
export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  deprecated?: boolean
  /** Empty: no token is needed. */
  security?: object[]
  'x-permission'?: string
  parameters: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, DocumentedResponse>
}

/** An operation with where it is found, and all that its references refer to. */
export interface Documented {
  method: string
  path: string
  operation: Operation
  parameters: Parameter[]
  body?: { type: string } & Media
  responses: [status: string, response: DocumentedResponse][]
  resolve: Resolve
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}

let made: { origin: string; operations: Map<string, Documented> } | undefined

/** All operations by id, from the document that this installation serves. Made once: it is asked for by each page. */
export function documented(routes: readonly Route[], origin: string): Map<string, Documented> {
  if (made?.origin === origin) return made.operations
  const document = openapi(routes, { ...about, server: origin }) as Document
  const find = <Thing>(reference: string): Thing => {
    const [, , kind = '', name = ''] = reference.split('/')
    return document.components[kind]?.[name] as Thing
  }
  const whole = <Thing extends { $ref?: string }>(thing: Thing): Thing =>
    thing.$ref === undefined ? thing : find<Thing>(thing.$ref)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Documented] => {
      const [content] = Object.entries(operation.requestBody?.content ?? {})
      const body = content && { type: content[0], ...content[1] }
      return [
        operation.operationId,
        {
          ...{ method, path, operation, resolve: whole },
          parameters: operation.parameters.map(whole),
          ...(body && { body }),
          responses: Object.entries(operation.responses).map(([status, response]) => [status, whole(response)]),
        },
      ]
    }),
  )
  made = { origin, operations: new Map(operations) }
  return made.operations
}

/** `updateProcessById` is at `…/update-process-by-id`. */
export const slugOfOperation = (id: string): string => id.replace(/[A-Z]+/g, capitals => `-${capitals.toLowerCase()}`)

export const addressOf = (id: string): string => `/docs/reference/${slugOfOperation(id)}`

/** Errors have an example for each code. Another response may have such a status, too: of a service that is not well. */
export const isError = ([status, { content }]: [string, DocumentedResponse]): boolean =>
  Number(status) >= 400 && content?.['application/json']?.examples !== undefined
