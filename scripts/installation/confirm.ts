import { createInterface } from 'node:readline/promises'
import { SetupError } from './command.ts'
import { UsageError } from './options.ts'

/** Asks for the name of the installation, or of the team, unless it was agreed to already. */
export async function confirm(
  { name, kind = 'installation' }: { name: string; kind?: 'installation' | 'team' },
  what: string,
  isAgreed: boolean,
): Promise<void> {
  if (isAgreed) return
  if (!process.stdin.isTTY) throw new UsageError('there is no terminal to ask at: --yes goes on without asking')
  console.log(what)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(
    `Type the ${kind === 'team' ? 'short id of the team' : 'name of the installation'} to go on: `,
  )
  terminal.close()
  if (answer.trim() !== name) throw new SetupError('nothing was changed')
}
