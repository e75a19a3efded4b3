import * as z from 'zod'
import { cursorQuery, limitQuery } from '../http/request/paging.ts'
import { EpochMs, Id, Time } from '../http/shapes.ts'

const LIMIT_DEFAULT = 20
const REQUEST_CURSOR_EXAMPLE = 'mihzs1a0.5f3a9c01.7'

export const RequestPath = z.object({
  requestId: z.string().meta({
    description: 'The id of a request: `x-request-id` of its response.',
    examples: ['01935c1e-5a00-7012-8a9b-7c8d9eafb0c1'],
  }),
})

export const RequestsQuery = z.strictObject({
  status: z
    .string()
    .regex(/^([2345]xx|[2345]\d\d)$/, { error: 'must be a status such as 404, or a class such as 4xx' })
    .exactOptional()
    .meta({ description: 'Only requests with this status, or of this class.', examples: ['4xx'] }),
  operation: z
    .string()
    .min(1)
    .max(100)
    .exactOptional()
    .meta({ description: 'Only requests for this operation of the reference.', examples: ['createProcess'] }),
  caller: z
    .uuid({ error: 'must be the id of a key, a session or a user (a UUID)' })
    .transform(id => id.toLowerCase())
    .exactOptional()
    .meta({
      description: 'Only requests of this API key, session or user.',
      examples: ['01935c1e-5a00-7002-a1b2-c3d4e5f60718'],
    }),
  address: z
    .string()
    .min(1)
    .max(45)
    .exactOptional()
    .meta({ description: 'Only requests from this IP address, as a request shows it.', examples: ['203.0.113.7'] }),
  failed: z
    .enum(['true', 'false'])
    .exactOptional()
    .meta({ description: '`true`: only requests that failed, with a status of 400 or more.', examples: ['true'] }),
  from: EpochMs.exactOptional().meta({
    description: 'Only requests that began at this time or later.',
    examples: ['2026-11-01T00:00:00Z'],
  }),
  to: EpochMs.exactOptional().meta({
    description: 'Only requests that began before this time.',
    examples: ['2026-12-01T00:00:00Z'],
  }),
  cursor: cursorQuery(100, REQUEST_CURSOR_EXAMPLE),
  limit: limitQuery(LIMIT_DEFAULT),
})
export type RequestsQuery = z.output<typeof RequestsQuery>

export const LoggedRequest = z
  .object({
    id: Id.describe('The id of the request.'),
    createdAt: Time.describe('When it began.'),
    method: z.string().describe('The method.'),
    operation: z.string().nullable().describe('The operation of the reference; null if there was none for it.'),
    path: z
      .string()
      .describe('The path, with `*` in place of what may be personal. Of the query, the names of its parameters only.'),
    status: z.int().describe('The status of the response.'),
    code: z.string().nullable().describe('The error code; null if there was no error.'),
    faults: z
      .array(
        z.object({
          path: z.string().describe('Where: a JSON Pointer into the request; empty: the request as a whole.'),
          message: z.string().describe('What was wrong, with `*` in place of what may be personal.'),
        }),
      )
      .describe(
        'The first five faults of a refused request that name a field, or of an error that quotes no value; else empty.',
      ),
    apiKey: Id.nullable().describe('The id of the API key that was used; null if it was none.'),
    session: Id.nullable().describe('The id of the session that was used; null if it was none.'),
    user: Id.describe('The id of the user on whose behalf it was.'),
    address: z.string().nullable().describe('The IP address that it came from; null if it is not known.'),
    ms: z.int().describe('How long it took until the response began.'),
    database: z
      .object({
        trips: z.int().describe('Round trips.'),
        rowsRead: z.int().describe('Rows read.'),
        rowsWritten: z.int().describe('Rows written.'),
        ms: z.number().describe('What the statements themselves took.'),
      })
      .describe('The use of the database until the response began.'),
  })
  .meta({ id: 'LoggedRequest' })
export type LoggedRequest = z.infer<typeof LoggedRequest>
