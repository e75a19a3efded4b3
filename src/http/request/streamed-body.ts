import type { Context } from 'hono'
import { AppError } from '../../errors.ts'
import type { AppEnv } from '../context.ts'
import { toHex } from '../digest.ts'
import { JSON_TYPE, readMediaType } from './media-type.ts'

/** A body that is read piece by piece, and never in memory as a whole. */
export interface StreamedBody {
  /** The media type, without its parameters. */
  type: string
  /** The charset of the content type, in lower case. */
  charset: string | undefined
  /** Reads the next piece; undefined after the last one. */
  next: () => Promise<Uint8Array | undefined>
  /** Reads the rest and computes the SHA-256 of the whole body and its type. Available only if it was requested at the start. */
  digest: () => Promise<string>
}

export const bodyTooLargeError = (bytesMax: number): AppError =>
  new AppError('request_too_large', [{ message: `the body is larger than ${bytesMax} bytes`, path: '/body' }])

/** Streams the body of a request, up to a size that also holds without a `content-length`. */
export function streamBody(c: Context<AppEnv>, bytesMax: number, takesDigest: boolean): StreamedBody {
  if (Number(c.req.header('content-length') ?? 0) > bytesMax) throw bodyTooLargeError(bytesMax)
  const { type = '', charset } = readMediaType(c)
  const reader = c.req.raw.body?.getReader()
  if (reader) c.set('bodyReader', reader)
  const digest = takesDigest ? new crypto.DigestStream('SHA-256') : null
  const digestWriter = digest?.getWriter()
  let bytes = 0
  let hasEnded = false

  async function next(): Promise<Uint8Array | undefined> {
    if (hasEnded) return undefined
    const { done, value } = await readPiece()
    if (done) {
      hasEnded = true
      await digestWriter?.close()
      return undefined
    }
    bytes += value.length
    if (bytes > bytesMax) throw bodyTooLargeError(bytesMax)
    await digestWriter?.write(value)
    return value
  }

  const readPiece = async (): Promise<{ done: true; value?: undefined } | { done: false; value: Uint8Array }> => {
    if (!reader) return { done: true }
    try {
      const { done, value } = await reader.read()
      return done ? { done } : { done, value }
    } catch {
      throw new AppError('malformed_json', [{ message: 'the body ended before it was whole', path: '/body' }])
    }
  }

  return {
    type,
    charset,
    next,
    async digest() {
      if (!digest) throw new Error('the digest of a body was not asked for from the start')
      while (await next());
      return [toHex(await digest.digest), ...(type === JSON_TYPE ? [] : [type]), ...(charset ? [charset] : [])].join(
        ' ',
      )
    },
  }
}
