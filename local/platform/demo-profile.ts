import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { CallplaneError, Client } from '../../client/index.ts'
import { dataDir } from '../../contracts/settings/laptop.ts'
import { writePrivately } from '../data/data-folder.ts'
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

/** A start of the platform: the address it is known by, and the one it listens on. */
interface Start extends Pick<DemoAccounts, 'passwords'> {
  readonly url: string
  readonly host: string
  readonly folder: string
}

/**
 * Signs the command line in as the admin of the demo domain, in a file that only its user can read, and ends the login
 * that was there before. Only a start on the default data folder that this machine reaches by itself does, and a
 * profile of this name that leads to another user or address stays. Returns whether it is there.
 */
export async function writeDemoProfile(
  { url: known, host, folder, passwords }: Start,
  place: ProfilePlace = thisPlace(),
): Promise<boolean> {
  const url = ownUrl(known, host)
  const password = passwords[user]
  const file = profileFile(place)
  const former = readProfile(file)
  if (folder !== resolve(dataDir.fallback) || password === undefined || !ownAddress.test(url)) return false
  // A damaged profile is somebody's.
  if (existsSync(file) && !isOurs(former, url)) return false
  try {
    const { token, key, expires } = await new Client({ url }).call('logIn', { body: { username: user, password } })
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writePrivately(file, `${JSON.stringify({ url, user, token, key, expires }, null, 2)}\n`)
    await endLogin(url, former)
    return true
  } catch (error) {
    // The password was changed, or the folder cannot be written: the start itself went well.
    if (error instanceof CallplaneError || (error instanceof Error && 'code' in error)) return false
    throw error
  }
}

/** Returns whether the profile of {@link writeDemoProfile} leads to a platform. */
export function hasDemoProfile(url: string, place: ProfilePlace = thisPlace()): boolean {
  return isOurs(readProfile(profileFile(place)), url)
}

const user = `${demo.accounts[0].login}@${demo.domain}`

const ownAddress = /^http:\/\/(?:127\.|localhost[:/]|\[::1\])/

/** The address of this machine in its network changes; its own never does. */
function ownUrl(url: string, host: string): string {
  return host === '0.0.0.0' || host === '::' ? `http://127.0.0.1:${new URL(url).port || '80'}` : url
}

/** A login that has ended already, or was made before the data was removed, is fine. */
async function endLogin(url: string, former: StoredProfile | undefined): Promise<void> {
  const { token, key } = former ?? {}
  if (typeof token !== 'string' || typeof key !== 'string') return
  await new Client({ url, token: { token, key } }).call('logOut').catch((error: unknown) => {
    if (!(error instanceof CallplaneError)) throw error
  })
}

function profileFile(place: ProfilePlace): string {
  return join(configFolder(place), 'callplane', 'profiles', `${demoProfile}.json`)
}

function configFolder({ env, platform, home }: ProfilePlace): string {
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming')
  return env['XDG_CONFIG_HOME'] || join(home, '.config')
}

function isOurs(known: StoredProfile | undefined, url: string): boolean {
  return known?.['user'] === user && known['url'] === url
}

type StoredProfile = Readonly<Record<string, unknown>>

function readProfile(file: string): StoredProfile | undefined {
  try {
    return { ...JSON.parse(readFileSync(file, 'utf8')) }
  } catch {
    return undefined
  }
}
