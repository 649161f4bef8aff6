import type { Command } from 'commander'
import { createProgram } from '../../../cli/program.ts'
import type { Terminal } from '../../../cli/terminal/terminal.ts'

/** A command with its full name and the text of its help. */
export interface DescribedCommand {
  readonly name: string
  readonly command: Command
  readonly help: string
}

/** The line of docs/cli.md after which the help of all commands stands. */
export const marker = '<!-- From here on: npm run docs:cli -->'

/** Returns all commands that do something, in the order of the help, as a terminal of 100 columns shows them. */
export function describedCommands(): readonly DescribedCommand[] {
  let written = ''
  const stream = { columns: 100, write: (text: string | Uint8Array) => (written += String(text)) }
  const { signal } = new AbortController()
  const harness = {
    stdin: process.stdin,
    stdout: stream,
    stderr: stream,
    env: {},
    platform: 'linux',
    home: '/',
  } as const
  const terminal: Terminal = { ...harness, signal }
  const leaves = (command: Command, name: string): readonly DescribedCommand[] => {
    const visible = command.createHelp().visibleCommands(command)
    const children = visible.filter((child) => child.name() !== 'help')
    if (children.length > 0) return children.flatMap((child) => leaves(child, `${name} ${child.name()}`))
    written = ''
    command.outputHelp()
    return [{ name, command, help: written.trimEnd() }]
  }
  return leaves(createProgram(terminal), 'callplane')
}

/** Returns the part of docs/cli.md that the commands themselves describe. */
export function reference(): string {
  const sections = describedCommands().map(({ name, help }) => {
    // The page has the name of a command in its heading, and the global options and --help once.
    const own = help
      .replace(/\n\nGlobal Options:\n(?: .*\n?)+/, '\n')
      .replace(/^ +-h, --help .*\n/m, '')
      .replace('Options:\n\n', '')
      .replace(`Usage: ${name} [options]\n\n`, '')
      .replace(' [options]', '')
      .trimEnd()
    return `## ${name}\n\n\`\`\`text\n${own}\n\`\`\`\n`
  })
  return sections.join('\n')
}
