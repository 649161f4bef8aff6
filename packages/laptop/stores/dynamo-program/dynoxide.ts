/** The embedded DynamoDB, Dynoxide: a package of npm for each platform, which holds one program. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'

/** A platform, as Node names its system and its processor. */
export interface Machine {
  readonly platform: string
  readonly arch: string
}

/** The machine that this process runs on. */
export const thisMachine: Machine = { platform: process.platform, arch: process.arch }

/** The package of the embedded DynamoDB for a machine. */
export interface DynoxidePackage {
  readonly name: string
  readonly version: string
  find(): string | undefined
  /** Installs the package with npm, apart from those of the project. Returns why that failed; never rejects. */
  install(signal: AbortSignal): Promise<string | undefined>
}

const manifest = z.object({ optionalDependencies: z.record(z.string(), z.string()) })
const version = z.object({ version: z.string() })

/** Describes the package for a machine, in the project at `root`. `npm` returns the words that run npm. */
export function dynoxidePackage(
  root: string,
  { platform, arch }: Machine,
  npm: () => readonly string[] = () => ['npm'],
): DynoxidePackage {
  const name = `@dynoxide/${platform}-${arch}`
  const { optionalDependencies } = z.parse(manifest, readJson(join(root, 'package.json')))
  const pinned = optionalDependencies['@dynoxide/linux-x64'] ?? ''
  // Not with the packages of the project: npm would remove what package-lock.json does not name.
  const own = join(root, 'node_modules/.cache/dynoxide', pinned)
  const program = platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'
  return {
    name,
    version: pinned,
    find() {
      const folders = [root, own].map((place) => join(place, 'node_modules', name))
      const found = folders.find((folder) => versionIn(folder) === pinned && existsSync(join(folder, program)))
      return found && join(found, program)
    },
    async install(signal) {
      mkdirSync(own, { recursive: true })
      writeFileSync(join(own, 'package.json'), '{"private":true}\n')
      const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000']
      return reasonIn(
        await runNpm(
          own,
          [...npm(), 'install', ...patience, '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${pinned}`],
          signal,
        ),
      )
    },
  }
}

function versionIn(folder: string): string | undefined {
  try {
    return z.parse(version, readJson(join(folder, 'package.json'))).version
  } catch {
    return undefined
  }
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function runNpm(
  cwd: string,
  [program = '', ...words]: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { cwd, signal, stdio: ['ignore', 'ignore', 'pipe'] })
    let printed = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-10_000)
    })
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code) => resolve(code === 0 ? undefined : printed))
  })
}

/** Returns the line of npm that says in words what is wrong: those before it are codes. */
function reasonIn(printed: string | undefined): string | undefined {
  if (printed === undefined) return undefined
  const lines = printed.split('\n').map((line) => line.replace(/^npm (?:error|ERR!) ?(?:\d+ )?/, '').trim())
  return lines.find((line) => line.split(' ').length > 3) ?? lines.find((line) => line !== '') ?? 'npm failed'
}
