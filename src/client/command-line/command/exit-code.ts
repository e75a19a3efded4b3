import { CaseworkerError } from '../../client.ts'
import { DeclinedError, UsageError } from './usage-error.ts'

/** The exit codes, which the guide lists. A script may rely on them. */
export const EXIT = {
  success: 0,
  /** A job has ended, but entries of it failed or were cancelled. */
  entriesFailed: 1,
  /** An invalid command line or file. Nothing was sent. */
  invalidUsage: 2,
  /** The API refused the request: it is wrong, or not permitted. Repeating it does not help. */
  refused: 3,
  /** No response, an error of the server, or too many requests. Repeating it later may help. */
  unavailable: 4,
  /** Ctrl-C, or a question answered with no. */
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

const TOO_MANY_REQUESTS = 429

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof DeclinedError) return EXIT.interrupted
  if (error instanceof UsageError || error instanceof TypeError) return EXIT.invalidUsage
  if (error instanceof CaseworkerError && error.is('invalid_call')) return EXIT.invalidUsage
  // An error of the file system.
  if (error instanceof Error && 'syscall' in error && 'path' in error) return EXIT.invalidUsage
  const isRefused =
    error instanceof CaseworkerError &&
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== TOO_MANY_REQUESTS &&
    error.code !== 'unexpected_response'
  return isRefused ? EXIT.refused : EXIT.unavailable
}
