import { join } from 'node:path'
import { CliError, exitCodes } from '../failure/exit.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { listPrivateFiles, readPrivateFile, removePrivateFile, writePrivateFile } from './private-file.ts'

/** A platform and a login at it. The password is not part of it. */
export interface Profile {
  readonly url: string
  readonly user: string
  readonly token: string
  readonly key: string
  /** When the token ends, epoch milliseconds. */
  readonly expires: number
  readonly domain?: string
}

/** Returns the folder of everything that the program keeps: XDG's on Linux and macOS, `%APPDATA%` on Windows. */
export function configFolder({ env, platform, home }: Pick<Terminal, 'env' | 'platform' | 'home'>): string {
  if (platform === 'win32') return join(env['APPDATA'] || join(home, 'AppData', 'Roaming'), 'callplane')
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'callplane')
}

/** The profiles of a user, one file each, readable by that user alone. */
export class Profiles {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = join(folder, 'profiles')
  }

  names(): readonly string[] {
    return listPrivateFiles(this.#folder).flatMap((file) =>
      file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : [],
    )
  }

  /** Returns a profile; nothing where there is none of this name. Throws for a damaged file. */
  read(name: string): Profile | undefined {
    const text = readPrivateFile(this.#file(name))
    if (text === undefined) return undefined
    const profile = parse(text)
    if (isProfile(profile)) return profile
    throw new CliError(`${this.#file(name)} is damaged: remove it and sign in again with: callplane login`)
  }

  /** Returns a profile; nothing where there is none of this name, or a damaged file. */
  find(name: string): Profile | undefined {
    const profile = parse(readPrivateFile(this.#file(name)) ?? '')
    return isProfile(profile) ? profile : undefined
  }

  write(name: string, profile: Profile): void {
    writePrivateFile(this.#file(name), `${JSON.stringify(profile, null, 2)}\n`)
  }

  remove(name: string): void {
    removePrivateFile(this.#file(name))
  }

  #file(name: string): string {
    checkProfileName(name)
    return join(this.#folder, `${name}.json`)
  }
}

/** Throws for a name that could not be that of a file on every system. */
export function checkProfileName(name: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return
  const rule = 'must be 1 to 64 letters, digits, ".", "_" and "-", and begin with a letter or a digit'
  throw new CliError(`the name of a profile ${rule}, got ${JSON.stringify(name)}`, exitCodes.usage)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isProfile(value: unknown): value is Profile {
  if (typeof value !== 'object' || value === null) return false
  const fields = ['url', 'user', 'token', 'key'] as const
  const record: Readonly<Record<string, unknown>> = { ...value }
  return fields.every((field) => typeof record[field] === 'string') && typeof record['expires'] === 'number'
}
