// The first steps of every command of package.json. Plain JavaScript for the machine's own Node, without dependencies.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { npmCommand } from './processes/npm-command.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')

/** The project's own Node. Not the link in `.bin`, which is a script of a shell on Windows. */
export const pinnedNode = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')

/** Installs the pinned dependencies when they are missing or older than package-lock.json; says so while it does. */
export function ensureInstalled() {
  if (isInstalled()) return
  console.log('installing the pinned dependencies (once; 20 s to a minute) …')
  const status = runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], root)
  if (status !== 0 || !isInstalled()) {
    console.error('could not install the dependencies: see the lines of npm above')
    process.exit(1)
  }
}

/** Runs npm in a folder; returns its exit status, and prints why when it cannot be run. */
export function runNpm(words, cwd) {
  const [program, ...first] = npmCommand()
  const { status, error } = spawnSync(program, [...first, ...words], { cwd, stdio: 'inherit' })
  if (error !== undefined) console.error(`could not run npm: ${error.message}`)
  return status ?? 1
}

function isInstalled() {
  if (!existsSync(pinnedNode) || !existsSync(join(modules, '.package-lock.json'))) return false
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const present = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional === true || present[path]?.version === version,
  )
}

const packages = { biome: '@biomejs/biome', tsc: 'typescript', cdk: 'aws-cdk' }

function installed(command) {
  if (command === 'node') return [pinnedNode]
  if (command === 'npm') return npmCommand()
  const folder = join(modules, packages[command] ?? command)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return [pinnedNode, join(folder, bin[command])]
}

/** The environment of installed commands: what they start finds the project's own Node first. */
function environment() {
  return { ...process.env, PATH: [join(modules, '.bin'), process.env.PATH].join(delimiter) }
}

/** Runs an installed command with the project's own Node first in the path; returns its exit status. */
export function run(command, args) {
  const [program, ...first] = installed(command)
  const { status, error } = spawnSync(program, [...first, ...args], { cwd: root, stdio: 'inherit', env: environment() })
  if (error !== undefined) console.error(`could not run ${command}: ${error.message}`)
  return status ?? 1
}

/** Runs an installed command as if it were this process: signals are passed on, and its end ends this process. */
export function runInPlace(command, args) {
  const [program, ...first] = installed(command)
  const child = spawn(program, [...first, ...args], { cwd: root, stdio: 'inherit', env: environment() })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  endWith(child)
}

/** Ends this process when a child ends, with the same status. */
export function endWith(child) {
  child.once('error', (error) => {
    console.error(`the installed Node cannot be run: ${error.message}; run npm ci`)
    process.exit(1)
  })
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

/** Does what {@link run} does, shows the output as it comes, and answers all of it as well. */
export async function runAndRead(command, args) {
  const [program, ...first] = installed(command)
  const child = spawn(program, [...first, ...args], {
    cwd: root,
    stdio: ['inherit', 'pipe', 'pipe'],
    env: environment(),
  })
  const chunks = []
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]) {
    from.on('data', (chunk) => {
      chunks.push(chunk)
      to.write(chunk)
    })
  }
  const [status] = await once(child, 'close')
  return { status: status ?? 1, output: Buffer.concat(chunks).toString() }
}

/** Prints the usage when `--help` was asked for. */
export function usageAsked(name, text) {
  if (!process.argv.includes('--help')) return false
  console.log(`${name}\n\n${text}`)
  return true
}

/**
 * Ends the process when the command line asks for help (with the usage) or holds any word (with a refusal), since the
 * command takes no options. A word may be a password that was meant for a variable: only the name of an option is
 * shown.
 */
export function takeNoOptions(name, usage) {
  if (usageAsked(name, usage)) process.exit(0)
  const [word] = process.argv.slice(2)
  if (word === undefined) return
  const option = /^--?[A-Za-z][A-Za-z-]*/.exec(word)?.[0]
  const problem = option === undefined ? 'takes no words' : `has no option ${option}`
  console.error(`${name} ${problem}; ${name} -- --help shows what it takes`)
  process.exit(2)
}
