/**
 * `npm run docs:picture` runs the first commands of the README at a platform of its own, and writes what a terminal of
 * 88 columns showed into docs/pictures/terminal.svg. Needs the program `script` of Linux.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { takeNoOptions } from '../../../local/toolchain.mjs'
import { aPlatform } from '../platform/platform.ts'
import { runCommand } from '../platform/command.ts'
import { readmeCommands } from './readme-commands.ts'
import { terminalPicture } from './terminal-picture.ts'

takeNoOptions(
  'npm run docs:picture',
  'Runs the commands of README.md, and draws what a terminal shows into docs/pictures/terminal.svg.',
)
const root = join(import.meta.dirname, '../../..')
const platform = await aPlatform()

/** Runs a line as a person at a terminal does, and returns what it showed, colours included. */
async function shown(line: string): Promise<string> {
  const command = line.replace(/^(?:npx )?callplane/, `${process.execPath} ${join(root, 'cli/callplane.mjs')}`)
  const { status, output } = await runCommand('script', ['-qec', `stty cols 88; ${command}`, '/dev/null'], {
    cwd: platform.dataDir,
    env: { ...process.env, TERM: 'xterm-256color', XDG_CONFIG_HOME: platform.dataDir },
  })
  if (status !== 0) throw new Error(`${line} ended with ${status}: ${stripVTControlCharacters(output)}`)
  return lastOfEachLine(output).replaceAll(platform.url, 'http://127.0.0.1:8080')
}

/** Returns what is left to see of lines that were written again and again. */
function lastOfEachLine(output: string): string {
  return output
    .replaceAll(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => line.split('\r').at(-1) ?? '')
    .join('\n')
}

try {
  const user = '1000@demo.example.com'
  const file = join(platform.dataDir, 'demo-accounts.json')
  const password = `node -p 'JSON.parse(fs.readFileSync("${file}", "utf8"))["${user}"]'`
  await shown(`callplane login --url ${platform.url} --user ${user} --password "$(${password})"`)
  // A call that has ended, so that the search of call records finds one.
  await shown('callplane call 5000 --from 1001')
  while (!(await shown('callplane cdr search --json')).includes('"5000"')) await setTimeout(500)
  const scenes = []
  for (const command of readmeCommands()) {
    scenes.push({ command, output: await shown(command) })
  }
  writeFileSync(join(root, 'docs/pictures/terminal.svg'), terminalPicture(scenes))
} finally {
  await platform.close()
}
