import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const program = join(import.meta.dirname, '../../cli/callplane.mjs')
const has = (command: string) => spawnSync(command, ['--version']).status === 0

/** How each shell is started for a person, and how it takes our script. */
const shells = {
  bash: { start: 'bash --noprofile --norc -i', load: '. ./script' },
  // A TAB of zsh expands the word at the cursor by itself; only our completion is meant here.
  zsh: { start: 'zsh -f -i', load: "autoload -U compinit; compinit -u -D; . ./script; bindkey '^I' complete-word" },
  fish: { start: 'fish --no-config -i', load: 'source ./script' },
} as const
const installed = (['bash', 'zsh', 'fish'] as const).filter((shell) => {
  if (has(shell) && has('script')) return true
  console.warn(`no completion is tried in ${shell}: it or script (util-linux) is not installed`)
  return false
})

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'callplane-completion-'))
  // Notes what it is called with, and completes as the command line does.
  const stub = `#!/bin/sh
printf '%s|' "$@" >> '${folder}/calls'
echo >> '${folder}/calls'
[ "$1" != complete ] || exec '${process.execPath}' '${program}' "$@"
`
  writeFileSync(join(folder, 'callplane'), stub)
  chmodSync(join(folder, 'callplane'), 0o755)
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Types at a shell on a terminal of its own, and returns each call of the command line. */
async function typeAt(shell: keyof typeof shells, ...keys: readonly string[]): Promise<readonly string[]> {
  const { start, load } = shells[shell]
  const script = spawnSync(process.execPath, [program, 'completion', shell], { encoding: 'utf8' })
  writeFileSync(join(folder, 'script'), script.stdout)
  const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, TERM: 'dumb' }
  const child = spawn('script', ['-qec', start, '/dev/null'], { cwd: folder, env })
  child.stdout.resume()
  child.stdin.write([load, ...keys, 'exit'].map((line) => `${line}\r`).join(''))
  await once(child, 'close')
  return readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n')
}

/** Clears the line that is being typed. */
const clear = '\u0001\u000b'

it.each(installed)('%s completes commands, options and choices', async (shell) => {
  const calls = await typeAt(
    shell,
    'callplane chann\t',
    'callplane cdr search --le\tx',
    'callplane cdr search --leg b\t',
  )

  expect(calls.filter((call) => !call.startsWith('complete'))).toEqual([
    'channels|',
    'cdr|search|--leg|x|',
    'cdr|search|--leg|b|',
  ])
})

it.each(installed)('%s never runs what is typed to complete it', async (shell) => {
  const hostile = ['$(touch pwned)', '`touch pwned`', '--x$(>pwned)=', '--x=$(>pwned)', '"$(>pwned)"', '>pwned']

  const calls = await typeAt(
    shell,
    ...hostile.map((words) => `callplane hangup ${words} \t${clear}`),
    ...hostile.map((words) => `callplane hangup ${words}\t${clear}`),
  )

  expect(readdirSync(folder)).not.toContain('pwned')
  expect(calls.filter((call) => call.startsWith('complete|--|hangup|')).length).toBeGreaterThan(3)
})
