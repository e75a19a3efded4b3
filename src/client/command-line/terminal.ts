import { once } from 'node:events'
import type { Caseworker, CaseworkerError } from '../client.ts'

/** The client of a command, and the signal of Ctrl-C. */
export interface Session {
  client: Caseworker
  signal: AbortSignal
}

/** Waits for a slow reader, so that a long list is not buffered in memory. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

export const printError = (text: string): void => {
  process.stderr.write(text)
}

/** All errors with path, hint and the address of the explanation. */
export function formatError(error: CaseworkerError): string {
  const lines = error.errors.flatMap(({ path, message, hint, docs }) => [
    `${path === undefined ? '' : `${path}: `}${message}`,
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
    ...(docs === undefined ? [] : [`  see ${docs}`]),
  ])
  const id = error.requestId === undefined ? [] : [`  request ${error.requestId}`]
  return [...lines, ...id].map(line => `${line}\n`).join('')
}
