import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(process.cwd(), '.build', 'venv')
const requirements = join(import.meta.dirname, 'requirements.txt')
const installed = join(folder, 'installed.txt')

/**
 * Installs the pinned programs of requirements.txt into `.build/venv`, once, and returns the folder of their commands.
 * Without Python, its packages or a network it says what is skipped, in one line, and returns nothing.
 */
export function pythonTools(skipped: string): string | undefined {
  const wanted = readFileSync(requirements, 'utf8')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return join(folder, 'bin')
  rmSync(folder, { recursive: true, force: true })
  const isMade =
    succeeds('python3', ['-m', 'venv', folder]) &&
    succeeds(join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', '--requirement', requirements])
  if (!isMade) {
    console.warn(`skipped: ${skipped}; python3 with venv and the packages of ${requirements} cannot be had here`)
    return undefined
  }
  writeFileSync(installed, wanted)
  return join(folder, 'bin')
}

function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}
