/** schemathesis, a property-based tester of APIs from PyPI: installed next to the packages, once. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const folder = import.meta.dirname
const requirements = join(folder, 'requirements.txt')

/** Some 30 MB come in half a minute; a network that answers nothing holds up no longer than this. */
const installLimitMs = 240_000

/** The program, or the reason why it cannot be installed here. */
export type InstalledTester = { readonly program: string } | { readonly missing: string }

/** The folder of {@link platformHooks}, which Python finds modules in. */
export const hooksFolder = folder

/** The Python module with the credentials of a platform. */
export const platformHooks = 'platform_hooks'

/**
 * Installs the tester and what it needs, at pinned versions, in an environment of their own. Returns the reason if that
 * is not possible here.
 */
export function installSchemathesis(): InstalledTester {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16)
  const home = resolve('node_modules/.cache/schemathesis', digest)
  const program = join(home, 'bin/schemathesis')
  if (existsSync(program)) return { program }
  const lack = lackOf([
    ['python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))'], 'no Python 3.10 or later is installed'],
    ['python3', ['-m', 'venv', '--clear', home], 'Python has no module venv'],
    [
      join(home, 'bin/python'),
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '-r', requirements],
      'pip cannot install it',
    ],
  ])
  if (lack === undefined) return { program }
  rmSync(home, { recursive: true, force: true })
  return { missing: lack }
}

function lackOf(steps: readonly (readonly [string, readonly string[], string])[]): string | undefined {
  return steps.find(([command, args]) => {
    const { status } = spawnSync(command, args, { timeout: installLimitMs, stdio: 'ignore' })
    return status !== 0
  })?.[2]
}
