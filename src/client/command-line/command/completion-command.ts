import { print } from '../output/terminal.ts'
import type { Command } from './command.ts'
import { COMPLETION_SCRIPTS, SHELLS } from './completion-scripts.ts'

const isShell = (name: string): name is keyof typeof COMPLETION_SCRIPTS => Object.hasOwn(COMPLETION_SCRIPTS, name)

export const completionCommand: Command = {
  name: 'completion',
  group: 'Connection',
  summary: 'Print the completion script of a shell',
  details:
    'bash: source <(caseworker completion bash) in ~/.bashrc. zsh: source <(caseworker completion zsh) in ~/.zshrc, after compinit. fish: caseworker completion fish > ~/.config/fish/completions/caseworker.fish.',
  arguments: [{ name: 'shell', summary: SHELLS.join(', '), choices: SHELLS }],
  options: {},
  examples: ['completion bash'],
  run: {
    async local({ words: [shell = ''] }) {
      if (isShell(shell)) await print(COMPLETION_SCRIPTS[shell])
      return undefined
    },
  },
}
