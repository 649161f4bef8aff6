// The first steps of every command of package.json. Plain JavaScript for the machine's own Node, without dependencies.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')

/** Installs the pinned dependencies when they are missing or older than package-lock.json; says so while it does. */
export function ensureInstalled() {
  if (isInstalled()) return
  console.log('installing the pinned dependencies (once; about 20 s) …')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0 || !isInstalled()) {
    console.error('could not install the dependencies: see the lines of npm above')
    process.exit(1)
  }
}

function isInstalled() {
  if (!existsSync(join(modules, '.bin', 'node')) || !existsSync(join(modules, '.package-lock.json'))) return false
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const present = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional === true || present[path]?.version === version,
  )
}

/** Runs an installed command with the project's own Node first in the path; answers its exit status. */
export function run(command, args) {
  const PATH = [join(modules, '.bin'), process.env.PATH].join(delimiter)
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, PATH } })
  if (error !== undefined) console.error(`could not run ${command}: ${error.message}`)
  return status ?? 1
}

/** Does what {@link run} does, shows the output as it comes, and answers all of it as well. */
export async function runAndRead(command, args) {
  const PATH = [join(modules, '.bin'), process.env.PATH].join(delimiter)
  const child = spawn(command, args, { cwd: root, stdio: ['inherit', 'pipe', 'pipe'], env: { ...process.env, PATH } })
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
 * command takes no options. A word may be a password that was meant for a variable: only the name of an option is shown.
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
