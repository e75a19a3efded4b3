import { type Caseworker, CaseworkerError } from '../../client.ts'
import type { Connection } from '../connection.ts'

/** The kind of completion of an argument or option, beside its choices. */
export type CompletionKind = 'file' | 'procedure' | 'profile'

/** A positional argument. */
export interface Argument {
  name: string
  summary: string
  optional?: boolean
  /** The last argument only. */
  many?: boolean
  choices?: readonly string[]
  completed?: CompletionKind
}

export interface Option {
  /** The one action of its command that takes it; without it every action does. */
  action?: string
  /** The name of the value. Without it, the option is a flag. */
  value?: string
  summary: string
  choices?: readonly string[]
  multiple?: boolean
  short?: string
  completed?: CompletionKind
}
export type Options = Readonly<Record<string, Option>>

/** The parsed words of a command line after the command: arguments and options. */
export interface ParsedArguments {
  words: string[]
  options: Record<string, string | boolean | string[] | undefined>
}

/** The client of a command, and the signal of Ctrl-C. */
export interface Session {
  client: Caseworker
  connection: Connection
  signal: AbortSignal
}

type Result = Promise<ExitCode | undefined>

/** A command as data: dispatch, help, completion and the table of the guide are made from it. */
export interface Command {
  name: string
  group: string
  summary: string
  /** Text for the help of the command, beyond its summary. */
  details?: string
  arguments: readonly Argument[]
  options: Options
  /** Command lines without the name of the program. */
  examples: readonly string[]
  /** Commands of this computer alone get no session: they work without an address and a token. */
  run: { remote: (session: Session, args: ParsedArguments) => Result } | { local: (args: ParsedArguments) => Result }
}

/** An invalid command line or file. The message has the correction. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A question that could not be asked. Its message says what to do, in place of the help. */
export class UnaskedError extends Error {
  override readonly name = 'UnaskedError'
}

/** A request that the API would refuse, found before a question about it is asked. Nothing was sent. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

/** A question was answered with no. Nothing was changed. */
export class DeclinedError extends Error {
  override readonly name = 'DeclinedError'
}

/** The exit codes, which the guide lists. A script may rely on them. */
export const EXIT = {
  success: 0,
  /** Something was sent, and failed: entries of a job, a message, or the test event of a webhook. */
  failed: 1,
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
/** The message was stored, and may have been sent: a repetition would be another message. */
const PROVIDER_CODES = ['provider_timeout', 'provider_unavailable', 'provider_refused'] as const

export function toExitCode(error: unknown): ExitCode {
  if (error instanceof DeclinedError) return EXIT.interrupted
  if (error instanceof RefusedError) return EXIT.refused
  if (error instanceof UsageError || error instanceof UnaskedError || error instanceof TypeError)
    return EXIT.invalidUsage
  if (error instanceof CaseworkerError && error.is('invalid_call')) return EXIT.invalidUsage
  // An error of the file system.
  if (error instanceof Error && 'syscall' in error && 'path' in error) return EXIT.invalidUsage
  if (error instanceof CaseworkerError && PROVIDER_CODES.some(code => error.is(code))) return EXIT.failed
  const isRefused =
    error instanceof CaseworkerError &&
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== TOO_MANY_REQUESTS &&
    error.code !== 'unexpected_response'
  return isRefused ? EXIT.refused : EXIT.unavailable
}
