import { snippetsOf } from './snippets.ts'

/** Returns the commands of `callplane` that the README shows, as it shows them, without their comments. */
export function readmeCommands(): readonly string[] {
  return snippetsOf('README.md')
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => /^(?:npx )?callplane /.test(line))
    .map((line) => line.replace(/ +#.*$/, ''))
}
