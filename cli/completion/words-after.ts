import type { Command } from 'commander'

/**
 * Returns what the last of the typed words can become, one line each: the word, a tab, and what it is about. The words
 * begin after the name of the program; the last one may be empty.
 */
export function wordsAfter(program: Command, words: readonly string[]): readonly string[] {
  const [last = '', before = ''] = words.toReversed()
  let command = program
  for (const word of words.slice(0, -1)) command = command.commands.find((each) => each.name() === word) ?? command
  const help = command.createHelp()
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
  const asked = options.find((option) => option.required && [option.long, option.short].includes(before))
  const plain = (choices: readonly string[] = []) => choices.map((choice) => [choice, ''] as const)
  const commands = help.visibleCommands(command).map((each) => [each.name(), each.description()] as const)
  const found =
    asked !== undefined
      ? plain(asked.argChoices)
      : last.startsWith('-')
        ? options.map(({ long, description }) => [long ?? '', description] as const)
        : [...commands, ...command.registeredArguments.flatMap(({ argChoices }) => plain(argChoices))]
  return found.filter(([word]) => word.startsWith(last)).map(([word, about]) => `${word}\t${about}\n`)
}
