import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { RetryMode } from '../../call/retry-rules.ts'
import type { CaseworkerError, Warning } from '../../client.ts'
import { OPERATIONS } from '../../generated/operations.ts'
import { DeclinedError, UnaskedError, UsageError } from '../command/command.ts'

/** A token that got into a message, for example as a mistyped argument. */
const TOKEN = /\bcw_\w{6,}/g

/** Waits for a slow reader, so that a long list is not buffered in memory. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

/** Messages go to standard error, and never show a token. */
export const printError = (text: string): void => {
  process.stderr.write(text.replace(TOKEN, 'cw_…'))
}

/** See https://no-color.org. */
export const hasColor = (): boolean => process.stdout.isTTY === true && !process.env.NO_COLOR

/** Returns the width of a table in columns; unlimited without a terminal. */
export const terminalWidth = (): number =>
  process.stdout.isTTY ? (process.stdout.columns ?? 80) : Number.POSITIVE_INFINITY

/** Formats all errors with path, hint and the address of the explanation. */
export function formatError(error: CaseworkerError): string {
  const lines = error.errors.flatMap(({ path, message, hint, docs }) => [
    `${path === undefined ? '' : `${path}: `}${message}`,
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
    ...(docs === undefined ? [] : [`  see ${docs}`]),
  ])
  const id = error.requestId === undefined ? [] : [`  request ${error.requestId}`]
  return [...lines, ...id].map(line => `${line}\n`).join('')
}

/** The codes after which a change may have been made. */
const UNDECIDED: readonly string[] = [
  'no_response',
  'unexpected_response',
  'internal_error',
  'storage_unavailable',
  'request_in_progress',
]

/** Says of a change without an answer that it may have been made, and how it is sent again without a second effect. */
export function formatUndecided({ code, operation }: CaseworkerError, key: string | undefined): string {
  const known: Partial<Record<string, { retry: RetryMode }>> = OPERATIONS
  const retry = known[operation]?.retry ?? 'safe'
  if (retry === 'safe' || !UNDECIDED.includes(code)) return ''
  const again =
    retry === 'never' || key === undefined ? '' : `; the same again, with no second effect: --idempotency-key ${key}`
  return `  it is not known whether this was done${again}\n`
}

/**
 * Prints each warning of the API once, however many pages or jobs repeat it. What was recognised of a table is none: `bulk`,
 * which alone sends tables, has read it by the same code, and said so before.
 */
export function createWarningPrinter(): (warning: Warning) => void {
  const printed = new Set<string>()
  return ({ code, message, hint }) => {
    if (code === 'table_recognised') return
    const sentence = `warning: ${message}${hint === undefined ? '' : ` (${hint})`}\n`
    if (!printed.has(sentence)) printError(sentence)
    printed.add(sentence)
  }
}

/** "1,200". */
export const formatNumber = (value: number): string => value.toLocaleString('en-US')

/** "1 entry", "1,200 entries". */
export const formatCount = (count: number, one: string, many: string): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

const isTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Asks before something is changed for many. Without a terminal nobody can answer, so `--yes` is required. */
export async function confirm(question: string, isConfirmed: boolean, signal: AbortSignal): Promise<void> {
  if (isConfirmed) return
  if (!isTerminal()) throw new UnaskedError(`${question}\nNobody can be asked here: repeat it with --yes`)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal })
    if (!/^y(es)?$/i.test(answer.trim())) throw new DeclinedError('nothing was changed')
  } finally {
    lines.close()
  }
}

export async function askText(question: string): Promise<string> {
  if (!isTerminal()) throw new UsageError(`${question.replace(/:? *$/, '')} is missing`)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  return (await lines.question(question).finally(() => lines.close())).trim()
}

/** Asks without showing what is typed. Without a terminal, it is the first line of standard input. */
export async function askSecret(question: string): Promise<string> {
  const isSilent = isTerminal()
  if (isSilent) printError(question)
  const output = new Writable({ write: (_, __, done) => done() })
  const lines = createInterface({ input: process.stdin, output, terminal: isSilent })
  try {
    for await (const line of lines) return line.trim()
    return ''
  } finally {
    lines.close()
    if (isSilent) printError('\n')
  }
}

interface Output {
  write: (text: string) => Promise<void>
  close: () => Promise<void>
}

/** Standard output, or a file that is created with the first write: a refused request leaves no empty file. Its folder is made. */
export async function openOutput(file: string | undefined): Promise<Output> {
  if (file === undefined) return { write: print, close: async () => {} }
  let stream: ReturnType<typeof createWriteStream> | undefined
  return {
    async write(text) {
      if (stream === undefined) {
        await mkdir(path.dirname(file), { recursive: true })
        stream = createWriteStream(file)
        await once(stream, 'open')
      }
      if (!stream.write(text)) await once(stream, 'drain')
    },
    async close() {
      if (stream === undefined) return
      stream.end()
      await once(stream, 'finish')
    },
  }
}
