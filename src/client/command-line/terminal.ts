import { once } from 'node:events'
import type { Caseworker, CaseworkerError } from '../client.ts'

/** What a command works with: the API, and whoever sits before it. */
export interface Session {
  client: Caseworker
  signal: AbortSignal
}

/** Waits where the reader is slower, so that a long list is never held in memory. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

export const say = (text: string): void => {
  process.stderr.write(text)
}

/** Everything that is wrong, each with its place, its correction and where it is explained. */
export function explained(error: CaseworkerError): string {
  const lines = error.errors.flatMap(({ path, message, hint, docs }) => [
    `${path === undefined ? '' : `${path}: `}${message}`,
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
    ...(docs === undefined ? [] : [`  see ${docs}`]),
  ])
  const id = error.requestId === undefined ? [] : [`  request ${error.requestId}`]
  return [...lines, ...id].map(line => `${line}\n`).join('')
}
