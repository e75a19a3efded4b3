import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppError, Fault } from '../errors.ts'
import type { AppEnv } from './context.ts'
import { STATUS_OF } from './status.ts'

/** What a route answers, before it wears the envelope. Plain JSON, so that it can be kept and replayed. */
export interface Answer {
  status: ContentfulStatusCode | 304
  data: object
  meta?: Record<string, unknown>
  headers?: Record<string, string>
}

export const answer = (status: Answer['status'], data: object, rest: Omit<Answer, 'status' | 'data'> = {}): Answer => ({
  status,
  data,
  ...rest,
})

/** The three members of every answer, of events of a stream, and of their description: spelled here only. */
export const enveloped = <Data, Meta, Errors>(data: Data, meta: Meta, errors: Errors) => ({
  _data: data,
  _meta: meta,
  _errors: errors,
})

export const wrap = (data: object, meta: object) => enveloped(data, meta, [])

export const send = (c: Context<AppEnv>, { status, data, meta, headers }: Answer): Response =>
  status === 304
    ? c.body(null, status, headers)
    : c.json(wrap(data, { ...meta, requestId: c.var.requestId }), status, headers)

/** `_errors` are sentences, as existing clients print them; `_meta.errors` is the twin for machines, in the same order. */
export function fail(c: Context<AppEnv>, error: AppError, headers: Record<string, string> = {}): Response {
  c.set('errorCode', error.code)
  const docs = new URL(`/docs/errors#${error.code}`, c.req.url).href
  const twin = ({ message, path, hint, detail }: Fault) => ({
    code: error.code,
    message,
    ...(path === undefined ? {} : { path }),
    ...(hint === undefined ? {} : { hint }),
    ...detail,
    docs,
  })
  const sentence = ({ message, hint }: Fault) => (hint === undefined ? message : `${message} (${hint})`)
  const meta = { errors: error.faults.map(twin), requestId: c.var.requestId }
  return c.json(enveloped({}, meta, error.faults.map(sentence)), STATUS_OF[error.code], headers)
}
