import type { CaseworkerError, Warning } from '../../client.ts'
import { printError } from './terminal.ts'

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

/** Prints each warning of the API once, however many pages or jobs repeat it. */
export function printWarningOnce(): (warning: Warning) => void {
  const printed = new Set<string>()
  return ({ message, hint }) => {
    const sentence = `warning: ${message}${hint === undefined ? '' : ` (${hint})`}\n`
    if (!printed.has(sentence)) printError(sentence)
    printed.add(sentence)
  }
}
