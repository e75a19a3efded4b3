import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { AppError } from '../errors.ts'
import type { AppEnv } from './context.ts'

export const BODY_BYTES_MAX = 1024 * 1024

/** Without the right content type hono would hand an empty object to the handler: refused here instead. */
export const requireJson: MiddlewareHandler<AppEnv> = async (c, next) => {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new AppError('unsupported_media_type', [
      { message: 'the body must be JSON', path: '/header/content-type', hint: 'send content-type: application/json' },
    ])
  await next()
}

export const limitBody = (bytesMax: number): MiddlewareHandler<AppEnv> =>
  bodyLimit({
    maxSize: bytesMax,
    onError: () => {
      throw new AppError('request_too_large', [{ message: `the body is larger than ${bytesMax} bytes`, path: '/body' }])
    },
  })
