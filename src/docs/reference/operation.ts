import { openapi } from '../../http/openapi/document.ts'
import type { Route } from '../../http/route.ts'
import { about } from '../about.ts'
import type { Resolve, Schema } from './schema.ts'

/** The requests that a receiver of webhooks gets. */
export interface ReceivedRequests {
  requests: readonly { name: string; operation: Operation }[]
  resolve: Resolve
}

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
  /** Who may call it, if not everybody with a token or a session; empty: everybody. */
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
  webhooks: Record<string, { post: Operation }>
  components: Record<string, Record<string, unknown>>
}

/** The document that this installation serves, as pages show it. */
interface ShownDocument {
  origin: string
  /** By id. */
  operations: Map<string, Documented>
  webhooks: ReceivedRequests
}

let made: ShownDocument | undefined

/** All operations by id, from the document that this installation serves. */
export const documented = (routes: readonly Route[], origin: string): Map<string, Documented> =>
  shownDocument(routes, origin).operations

/** Made once: it is asked for by each page. */
export function shownDocument(routes: readonly Route[], origin: string): ShownDocument {
  if (made?.origin === origin) return made
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
  const requests = Object.entries(document.webhooks).map(([name, { post }]) => ({ name, operation: post }))
  made = { origin, operations: new Map(operations), webhooks: { requests, resolve: whole } }
  return made
}

/** Whether it can be called with a token. */
export const takesToken = ({ security }: Pick<Operation, 'security'>): boolean =>
  security === undefined || security.some(each => 'token' in each)

/** `updateProcessById` is at `…/update-process-by-id`. */
export const slugOfOperation = (id: string): string => id.replace(/[A-Z]+/g, capitals => `-${capitals.toLowerCase()}`)

export const addressOf = (id: string): string => `/docs/reference/${slugOfOperation(id)}`

/** Errors have an example for each code. Another response may have such a status, too: of a service that is not well. */
export const isError = ([status, { content }]: [string, DocumentedResponse]): boolean =>
  Number(status) >= 400 && content?.['application/json']?.examples !== undefined
