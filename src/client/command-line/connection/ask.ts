import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { DeclinedError, UsageError } from '../command/usage-error.ts'
import { printError } from '../output/terminal.ts'

const isTerminal = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true

/** Asks before something is changed for many. Without a terminal nobody can answer, so `--yes` is required. */
export async function confirm(question: string, isConfirmed: boolean, signal: AbortSignal): Promise<void> {
  if (isConfirmed) return
  if (!isTerminal()) throw new UsageError(`${question}\nNobody can be asked here: repeat it with --yes`)
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
