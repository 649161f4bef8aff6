import { Argument, type Command } from 'commander'
import { completionScripts } from '../completion/completion-scripts.ts'
import { wordsAfter } from '../completion/words-after.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withSetting } from '../session/session.ts'
import { examples } from './examples.ts'

/** Adds completion for shells. It reads the tree of commands when it is asked, so that it knows all of them. */
export function addCompletion(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .description('Print a script that completes commands and options in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(completionScripts)))
    .addHelpText(
      'after',
      examples(
        'completion bash > ~/.local/share/bash-completion/completions/callplane',
        'completion zsh > ~/.zfunc/_callplane',
        'completion fish > ~/.config/fish/completions/callplane.fish',
      ),
    )
    .action(
      withSetting(terminal, ({ out }, shell: keyof typeof completionScripts) => out.raw(completionScripts[shell])),
    )
  program
    .command('complete [words...]', { hidden: true })
    .action(withSetting(terminal, ({ out }, words: readonly string[]) => out.raw(wordsAfter(program, words).join(''))))
}
