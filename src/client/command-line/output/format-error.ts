import type { CaseworkerError } from '../../client.ts'

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
