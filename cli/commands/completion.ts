import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import { examples } from './examples.ts'

/** Adds completion for shells. It reads the tree of commands, so it comes after all of them. */
export function addCompletion(program: Command): void {
  tab(program, { completionCommandName: 'completion' })
  program.commands
    .find((command) => command.name() === 'completion')
    ?.description('Print a script that completes commands and options in a shell.')
    .addHelpText(
      'after',
      examples(
        'completion bash > ~/.local/share/bash-completion/completions/callplane',
        'completion zsh > ~/.zfunc/_callplane',
        'completion fish > ~/.config/fish/completions/callplane.fish',
      ),
    )
}
