import { createInterface } from 'node:readline/promises'
import { SetupError } from './command.ts'
import { type Installation, UsageError } from './options.ts'

/** Asks for the name of the installation, unless it was agreed to already. */
export async function confirm({ name }: Installation, what: string, isAgreed: boolean): Promise<void> {
  if (isAgreed) return
  if (!process.stdin.isTTY) throw new UsageError('there is no terminal to ask at: --yes goes on without asking')
  console.log(what)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(`Type the name of the installation to go on: `)
  terminal.close()
  if (answer.trim() !== name) throw new SetupError('nothing was changed')
}
