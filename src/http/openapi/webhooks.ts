import type * as z from 'zod'
import type { Schemas } from './document.ts'

/** The requests that an installation sends to a caller's own address. All have these headers, and one of the bodies. */
export interface WebhookDocs {
  tag: string
  headers: Readonly<Record<string, { description: string; example: string }>>
  /** The meaning of the receiver's statuses, such as `2XX`. */
  responses: Readonly<Record<string, string>>
  requests: readonly WebhookRequest[]
}

export interface WebhookRequest {
  name: string
  description: string
  body: z.ZodType
}

/** Names an operation: `process.created` is received as `onProcessCreated`. */
const getOperationId = (name: string): string =>
  `on${name.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase())}`

/** Builds the `webhooks` of OpenAPI 3.1. They have no security scheme, because receivers verify the signature. */
export const buildWebhookOperations = ({ tag, headers, responses, requests }: WebhookDocs, schemas: Schemas) =>
  Object.fromEntries(
    requests.map(({ name, description, body }) => [
      name,
      {
        post: {
          operationId: getOperationId(name),
          tags: [tag],
          summary: `Event ${name}`,
          description,
          security: [],
          parameters: Object.entries(headers).map(([header, { description: meaning, example }]) => ({
            name: header,
            in: 'header',
            required: true,
            description: meaning,
            example,
            schema: { type: 'string' },
          })),
          requestBody: { required: true, content: { 'application/json': { schema: schemas.of(body, 'output') } } },
          responses: Object.fromEntries(
            Object.entries(responses).map(([status, meaning]) => [status, { description: meaning }]),
          ),
        },
      },
    ]),
  )
