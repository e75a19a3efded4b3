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

export interface OperationResponse {
  $ref?: string
  description: string
  headers?: Record<string, unknown>
  /** The body for callers who ask for another format. */
  'x-other-content'?: Record<string, unknown>
  content?: Record<string, Media>
}

/** An operation of the OpenAPI document, as far as its page shows it. */
export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  deprecated?: boolean
  /** The security of the operation, if it differs from a token or a session; empty if everybody may call. */
  security?: object[]
  'x-permission'?: string
  parameters: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, OperationResponse>
}

/** An operation with its method and path, and its references resolved. */
export interface DocumentedOperation {
  method: string
  path: string
  operation: Operation
  parameters: Parameter[]
  body?: { type: string } & Media
  responses: [status: string, response: OperationResponse][]
  resolve: Resolve
}

/** A request to the receiver of a webhook. */
export interface WebhookRequest {
  name: string
  operation: Operation
}

export interface ApiReference {
  operations: readonly DocumentedOperation[]
  webhooks: readonly WebhookRequest[]
  resolve: Resolve
}

interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: Record<string, Record<string, unknown>>
}

/** Reads from the OpenAPI document what the pages show. */
export function readReference(openApiDocument: object): ApiReference {
  const document = openApiDocument as OpenApiDocument
  const resolve = <Thing extends { $ref?: string }>(thing: Thing): Thing => {
    if (thing.$ref === undefined) return thing
    const [, , kind = '', name = ''] = thing.$ref.split('/')
    return document.components[kind]?.[name] as Thing
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): DocumentedOperation => {
      const [content] = Object.entries(operation.requestBody?.content ?? {})
      return {
        method,
        path,
        operation,
        resolve,
        parameters: operation.parameters.map(resolve),
        ...(content && { body: { type: content[0], ...content[1] } }),
        responses: Object.entries(operation.responses).map(([status, response]) => [status, resolve(response)]),
      }
    }),
  )
  const webhooks = Object.entries(document.webhooks).map(([name, { post }]) => ({ name, operation: post }))
  return { operations, webhooks, resolve }
}

export const takesToken = ({ security }: Operation): boolean =>
  security === undefined || security.some(scheme => 'token' in scheme)

/** Returns the address of an operation's page: `updateProcessById` is at `…/update-process-by-id`. */
export const getOperationAddress = (id: string): string =>
  `/docs/reference/${id.replace(/[A-Z]+/g, capitals => `-${capitals.toLowerCase()}`)}`

/** Tells whether a response is an error, with an example for each of its codes. An unhealthy service's response has such a status, too. */
export const isError = ([status, { content }]: [string, OperationResponse]): boolean =>
  Number(status) >= 400 && content?.['application/json']?.examples !== undefined
