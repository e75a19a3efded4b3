import type { Context, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { AppError } from '../../errors.ts'
import type { AppEnv } from '../context.ts'
import { findTooDeep, tooDeep } from './levels.ts'

export const BODY_BYTES_MAX = 1024 * 1024
/** Of who has proven nothing yet: a sign-in is some hundred bytes, and an assertion a few thousand. */
export const STRANGER_BODY_BYTES_MAX = 32 * 1024

/** Without the right content type hono would hand an empty object to the handler: refused here instead. */
export function requireJson(c: Context): void {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new AppError('unsupported_media_type', [
      { message: 'the body must be JSON', path: '/header/content-type', hint: 'send content-type: application/json' },
    ])
}

/** Whether the body ends where its length says is seen to by the runtime; only one of unknown length is counted. */
export function limitBody(bytesMax: number): MiddlewareHandler<AppEnv> {
  const refuse = () => {
    throw new AppError('request_too_large', [{ message: `the body is larger than ${bytesMax} bytes`, path: '/body' }])
  }
  const countBytes = bodyLimit({ maxSize: bytesMax, onError: refuse })
  return async (c, next) => {
    const length = c.req.header('content-length')
    if (length === undefined || c.req.header('transfer-encoding') !== undefined) return countBytes(c, next)
    return Number(length) > bytesMax ? refuse() : next()
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** The body as JSON. What is not valid UTF-8 is refused: decoded leniently, it would be stored as something else. */
export async function readJson(c: Context): Promise<unknown> {
  const bytes = await c.req.arrayBuffer()
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw malformed('the body is not valid UTF-8')
  }
  if (text.trim() === '') throw malformed('the body is empty; it must be JSON')
  const body = parse(text)
  const place = findTooDeep(body)
  if (place !== null) throw tooDeep(place)
  return body
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed(`the body is not JSON: ${error instanceof Error ? error.message : 'it cannot be parsed'}`)
  }
}

const malformed = (message: string) => new AppError('malformed_json', [{ message, path: '/body' }])
