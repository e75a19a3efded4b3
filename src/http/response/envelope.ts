import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppError, ReportedFault } from '../../errors.ts'
import type { AppEnv } from '../context.ts'
import { getPublicOrigin } from '../public-origin.ts'
import { JSON_HEADERS } from './headers.ts'
import { STATUS_BY_CODE } from './status.ts'

/** The response of a route without its envelope. Plain JSON. */
export interface JsonResponse {
  status: ContentfulStatusCode | 304
  /** The data. A text is JSON already, and is sent as it is. */
  data: object | string
  meta?: Record<string, unknown>
  headers?: Record<string, string>
}

export const jsonResponse = (
  status: JsonResponse['status'],
  data: JsonResponse['data'],
  rest: Omit<JsonResponse, 'status' | 'data'> = {},
): JsonResponse => ({
  status,
  data,
  ...rest,
})

/** Makes the envelope. Its three members, of every response, event of a stream and schema, are named here alone. */
export const envelope = <Data, Meta, Errors>(data: Data, meta: Meta, errors: Errors) => ({
  _data: data,
  _meta: meta,
  _errors: errors,
})

export const successEnvelope = (data: object, meta: object) => envelope(data, meta, [])

/** Writes the envelope with `_data` first. A text replaces the empty list there. */
const writeSuccess = (data: object | string, meta: object): string =>
  typeof data === 'string'
    ? JSON.stringify(successEnvelope([], meta)).replace('[]', () => data)
    : JSON.stringify(successEnvelope(data, meta))

/** Sends a response with the headers of every JSON response. `responseHeaders` adds those that differ from call to call. */
export function sendResponse(c: Context<AppEnv>, { status, data, meta, headers }: JsonResponse): Response {
  if (status === 304) return new Response(null, { status, ...(headers && { headers }) })
  const body = writeSuccess(data, { ...meta, requestId: c.get('requestId') })
  const response = new Response(body, { status, headers: JSON_HEADERS })
  for (const name in headers) response.headers.set(name, headers[name] ?? '')
  return response
}

/** Sends an error. `_errors` has sentences, as existing clients print them; `_meta.errors` has the same errors for programs, in the same order. */
export function sendError(c: Context<AppEnv>, error: AppError, headers: Record<string, string> = {}): Response {
  c.set('errorCode', error.code)
  c.set('faults', error.faults)
  const docs = `${getPublicOrigin(c)}/docs/errors#${error.code}`
  const machineReadable = ({ message, path, hint, detail }: ReportedFault) => ({
    code: error.code,
    message,
    ...(path === undefined ? {} : { path }),
    ...(hint === undefined ? {} : { hint }),
    ...detail,
    docs,
  })
  const sentence = ({ message, hint }: ReportedFault) => (hint === undefined ? message : `${message} (${hint})`)
  const meta = { errors: error.faults.map(machineReadable), requestId: c.get('requestId') }
  return c.json(envelope({}, meta, error.faults.map(sentence)), STATUS_BY_CODE[error.code], headers)
}
