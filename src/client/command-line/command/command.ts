import type { Caseworker } from '../../client.ts'
import type { Connection } from '../connection/connection.ts'
import type { ExitCode } from './exit-code.ts'

/** What an argument or option is completed with, beside its choices. */
export type Completed = 'file' | 'procedure' | 'profile'

/** A positional argument. */
export interface Argument {
  name: string
  summary: string
  optional?: boolean
  /** The last argument only. */
  many?: boolean
  choices?: readonly string[]
  completed?: Completed
}

export interface Option {
  /** The name of the value. Without it, the option is a flag. */
  value?: string
  summary: string
  choices?: readonly string[]
  multiple?: boolean
  short?: string
  completed?: Completed
}
export type Options = Readonly<Record<string, Option>>

/** The words of a command line: what stands after the command, sorted into arguments and options. */
export interface Given {
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
  /** More than the summary, for the help of the command. */
  details?: string
  arguments: readonly Argument[]
  options: Options
  /** Command lines without the name of the program. */
  examples: readonly string[]
  /** Commands of this computer alone get no session: they work without an address and a token. */
  run: { remote: (session: Session, given: Given) => Result } | { local: (given: Given) => Result }
}
