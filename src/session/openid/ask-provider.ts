import { AppError } from '../../errors.ts'
import type { OpenIdSettings } from './settings.ts'

/** The time of one call of the provider, including the body of its answer. */
const ANSWER_MS_MAX = 5_000
const ANSWER_BYTES_MAX = 256 * 1024

export interface ProviderAnswer {
  status: number
  text: string
}

/**
 * Calls the provider. All calls go through here: the answer is bounded in time and size, and a redirect is not followed, so
 * that secrets go only to addresses that the provider itself has published.
 */
export async function askProvider(
  { name }: Pick<OpenIdSettings, 'name'>,
  address: string,
  init: RequestInit = {},
): Promise<ProviderAnswer> {
  const abort = new AbortController()
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => late.resolve('late'), ANSWER_MS_MAX)
  try {
    const request = { ...init, redirect: 'manual', signal: abort.signal } as const
    const answer = await Promise.race([fetchAnswer(address, request), late.promise])
    if (answer === 'late') throw new AppError('provider_timeout', [tryLater(`${name} does not answer`)])
    if (answer === 'huge') throw unusableProviderError(name, `its answer has more than ${ANSWER_BYTES_MAX} bytes`)
    return answer
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('provider_unavailable', [tryLater(`${name} cannot be reached`)], error)
  } finally {
    clearTimeout(timer)
    abort.abort()
  }
}

async function fetchAnswer(address: string, init: RequestInit): Promise<ProviderAnswer | 'huge'> {
  const { status, body } = await fetch(address, init)
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const piece of body ?? []) {
    bytes += piece.byteLength
    if (bytes > ANSWER_BYTES_MAX) return 'huge'
    text += decoder.decode(piece, { stream: true })
  }
  return { status, text: text + decoder.decode() }
}

const tryLater = (message: string) => ({
  message,
  hint: 'try again in a minute; until then a passkey or a link signs in',
})

/** Returns the error of a provider whose answers are not those of a provider. The operator has to look at it. */
export const unusableProviderError = (name: string, why: string, cause?: unknown): AppError =>
  new AppError('provider_unavailable', [tryLater(`${name} cannot be used: ${why}`)], cause)

/** Parses an answer; undefined if it is not JSON. */
export function parseAnswerJson({ text }: ProviderAnswer): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
