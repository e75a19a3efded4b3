import type { Context, MiddlewareHandler } from 'hono'
import { AppError, invalid } from '../../errors.ts'
import type { AppEnv } from '../context.ts'
import { findUnusable } from './levels.ts'
import { JSON_TYPE, readMediaType } from './media-type.ts'
import { bodyTooLargeError, streamBody } from './streamed-body.ts'

export const BODY_BYTES_MAX = 1024 * 1024
/** The size of a body of an unauthenticated caller: a sign-in is some hundred bytes, and an assertion a few thousand. */
export const UNAUTHENTICATED_BODY_BYTES_MAX = 32 * 1024

const UTF_8 = ['utf-8', 'utf8']

/** Refuses another content type, for which hono would give the handler an empty object. */
export function requireJson(c: Context): void {
  const { type } = readMediaType(c)
  if (type !== JSON_TYPE)
    throw unsupportedTypeError(
      'content-type',
      `the body must be JSON${formatSentType(type)}`,
      'send content-type: application/json',
    )
}

/** The content type that programs send by default, so it says nothing about the body. */
const FORM_TYPE = 'application/x-www-form-urlencoded'
const formatSentType = (type: string | undefined): string => (type ? `, not ${type}` : '')

/** Suggests what to do about a body of an unsupported type, if JSON is not the only one that is accepted. */
function suggestForType(type: string, others: readonly string[]): string {
  if (type === 'multipart/form-data') return 'send the file itself as the body, without a form around it'
  if (/spreadsheet|ms-excel/.test(type))
    return `save the workbook as CSV and send that, or use the page "Import" or caseworker bulk, which read workbooks`
  if (type === '' || type === FORM_TYPE || type === 'application/octet-stream')
    return `send the content-type of what it is: ${[JSON_TYPE, ...others].join(', ')}`
  return `send content-type: ${[JSON_TYPE, ...others].join(' or ')}`
}

const unsupportedTypeError = (header: string, message: string, hint: string): AppError =>
  new AppError('unsupported_media_type', [{ message, path: `/header/${header}`, hint }])

/** Checks the type of a body that need not be JSON. Read as another type, it would have another meaning. */
export function requireMediaType(c: Context, others: Readonly<Record<string, readonly string[]>>): void {
  const { type = '', charset } = readMediaType(c)
  const known = [JSON_TYPE, ...Object.keys(others)]
  if (!known.includes(type))
    throw unsupportedTypeError(
      'content-type',
      `the body must be one of ${known.join(', ')}${formatSentType(type)}`,
      suggestForType(type, Object.keys(others)),
    )
  const charsets = others[type] ?? UTF_8
  if (charset !== undefined && !charsets.includes(charset))
    throw charsets.length > UTF_8.length
      ? unsupportedTypeError(
          'content-type',
          `the charset ${charset} is not known`,
          `send one of ${charsets.join(', ')}`,
        )
      : unsupportedTypeError(
          'content-type',
          `the body must be UTF-8, not ${charset}`,
          'leave charset out, or send utf-8',
        )
  const encoding = c.req.header('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity')
    throw unsupportedTypeError('content-encoding', `the body must not be compressed (${encoding})`, 'send it as it is')
}

/** Limits the size of a body. The runtime ends a body where its length says; only one of unknown length is counted. */
export function limitBody(bytesMax: number): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const length = c.req.header('content-length')
    if (length === undefined || c.req.header('transfer-encoding') !== undefined) await holdBody(c, bytesMax)
    else if (Number(length) > bytesMax) throw bodyTooLargeError(bytesMax)
    return next()
  }
}

/** Reads a body of unknown length into memory, so that later readers know that it is within the limit. */
async function holdBody(c: Context<AppEnv>, bytesMax: number): Promise<void> {
  if (!c.req.raw.body) return
  const { next } = streamBody(c, bytesMax, false)
  let [buffer, length] = [new Uint8Array(0), 0]
  // The pieces are copied into one buffer, because each may be a single byte.
  for (let piece = await next(); piece; piece = await next()) {
    if (length + piece.length > buffer.length) {
      const larger = new Uint8Array(Math.min(bytesMax, 2 * (length + piece.length)))
      larger.set(buffer.subarray(0, length))
      buffer = larger
    }
    buffer.set(piece, length)
    length += piece.length
  }
  c.req.raw = new Request(c.req.raw, { body: buffer.subarray(0, length) })
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** Parses the body as JSON. Refuses invalid UTF-8: decoded leniently, it would be stored as something else. */
export async function readJson(c: Context): Promise<unknown> {
  const bytes = await c.req.arrayBuffer()
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw malformedJsonError('the body is not valid UTF-8')
  }
  if (text.trim() === '') throw malformedJsonError('the body is empty; it must be JSON')
  const body = parse(text)
  const unusable = findUnusable(text, body)
  if (unusable) throw invalid([unusable])
  return body
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformedJsonError(`the body is not JSON: ${error instanceof Error ? error.message : 'it cannot be parsed'}`)
  }
}

const malformedJsonError = (message: string) => new AppError('malformed_json', [{ message, path: '/body' }])
