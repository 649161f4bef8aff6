import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { CallplaneError, Client } from '../../client/index.ts'
import { dataDir } from '../../contracts/settings/laptop.ts'
import { type DemoAccounts, demo } from './first-data.ts'

/** The name of the profile, which the command line uses where there is no profile `default`. */
export const demoProfile = 'demo'

/** The user's machine, as far as profiles of the command line depend on it. */
export interface ProfilePlace {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly home: string
}

const thisPlace = (): ProfilePlace => ({ env: process.env, platform: process.platform, home: homedir() })

/**
 * Signs the command line in as the admin of the demo domain, in a file that only its user can read. Only a start on the
 * default data folder does, and a profile of this name that leads to another user stays. Returns whether it is there.
 */
export async function writeDemoProfile(
  { url, folder, passwords }: { url: string; folder: string } & Pick<DemoAccounts, 'passwords'>,
  place: ProfilePlace = thisPlace(),
): Promise<boolean> {
  const user = `${demo.accounts[0].login}@${demo.domain}`
  const password = passwords[user]
  const file = profileFile(place)
  if (folder !== resolve(dataDir.fallback) || password === undefined || !isOurs(file, user)) return false
  try {
    const { token, key, expires } = await new Client({ url }).call('logIn', { body: { username: user, password } })
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${JSON.stringify({ url, user, token, key, expires }, null, 2)}\n`, { mode: 0o600 })
    return true
  } catch (error) {
    // The password was changed, or the folder cannot be written: the start itself went well.
    if (error instanceof CallplaneError || (error instanceof Error && 'code' in error)) return false
    throw error
  }
}

/** Returns whether the profile of {@link writeDemoProfile} leads to a platform. */
export function hasDemoProfile(url: string, place: ProfilePlace = thisPlace()): boolean {
  return readProfile(profileFile(place))?.url === url
}

function profileFile(place: ProfilePlace): string {
  return join(configFolder(place), 'callplane', 'profiles', `${demoProfile}.json`)
}

function configFolder({ env, platform, home }: ProfilePlace): string {
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming')
  return env['XDG_CONFIG_HOME'] || join(home, '.config')
}

/** Whether there is no profile yet, or one of this user at a platform of this machine. A damaged one is somebody's. */
function isOurs(file: string, user: string): boolean {
  if (!existsSync(file)) return true
  const known = readProfile(file)
  return known?.user === user && /^http:\/\/(?:127\.|localhost|\[::1\])/.test(String(known.url))
}

function readProfile(file: string): { readonly url?: unknown; readonly user?: unknown } | undefined {
  try {
    return { ...JSON.parse(readFileSync(file, 'utf8')) }
  } catch {
    return undefined
  }
}
