import type { Command } from 'commander'
import { Client, type Token } from '../../client/index.ts'
import { CliError, exitCodes, notSignedIn } from '../failure/exit.ts'
import { Output } from '../output/output.ts'
import { Profiles, checkProfileName, configFolder } from '../profile/profile.ts'
import { type Terminal, mayUseColours } from '../terminal/terminal.ts'
import { checkAddress } from './address.ts'

/** The options that every command takes. */
export interface GlobalOptions {
  readonly profile?: string
  readonly domain?: string
  readonly json?: boolean
  readonly color?: boolean
  readonly full?: boolean
}

/** The surroundings of a command that needs no login. */
export interface Setting {
  readonly terminal: Terminal
  readonly out: Output
  readonly profiles: Profiles
  readonly profile: string
  readonly options: GlobalOptions
  readonly folder: string
}

/** The surroundings of a command that needs a login. */
export interface Session extends Setting {
  readonly client: Client
  readonly url: string
  readonly query: { readonly domain?: string }
  /** Aborts when the user wants the program to end. */
  readonly signal: AbortSignal
}

function settingOf(terminal: Terminal, options: GlobalOptions): Setting {
  const { env, stdout, stderr, clock } = terminal
  const folder = configFolder(terminal)
  const profiles = new Profiles(folder)
  const profile = options.profile ?? (env['CALLPLANE_PROFILE'] || usualProfile(profiles))
  checkProfileName(profile)
  const colours = options.color !== false && mayUseColours(terminal)
  const shown = { json: options.json === true, full: options.full === true, colours }
  const out = new Output({ ...shown, stdout, stderr, ...(clock === undefined ? {} : { clock }) })
  return { terminal, out, profiles, profile, options, folder }
}

/** `npm start` signs in as `demo`, which is used until there is a login of one's own. */
function usualProfile(profiles: Profiles): string {
  const names = profiles.names()
  return names.includes('demo') && !names.includes('default') ? 'demo' : 'default'
}

/**
 * Returns the session of a command. `CALLPLANE_URL` and `CALLPLANE_TOKEN` (a static token of a domain) win over the
 * profile. Throws without a login, or where its token has ended.
 */
export function sessionOf(setting: Setting): Session {
  const { terminal, options } = setting
  const { url, token, domain } = credentialOf(setting)
  const named = options.domain ?? domain
  return {
    ...setting,
    url,
    client: clientOf(setting, url, token),
    query: named === undefined ? {} : { domain: named },
    signal: terminal.signal,
  }
}

/** Returns the domain that a command works in: the named one, or that of the user. Throws for root, which has none. */
export async function domainOf({
  client,
  query,
  signal,
}: Pick<Session, 'client' | 'query' | 'signal'>): Promise<string> {
  const domain = query.domain ?? (await client.call('whoAmI', { signal })).domain
  if (domain !== '') return domain
  throw new CliError('root belongs to no domain: name one with --domain <name>', exitCodes.usage)
}

/** Returns a client that shows after two seconds that it waits for the platform. */
export function clientOf({ out }: Pick<Setting, 'out'>, url: string, token?: Token): Client {
  const send = async (address: string, init?: RequestInit): Promise<Response> => {
    const begun = Date.now()
    const tick = setInterval(() => {
      const seconds = Math.round((Date.now() - begun) / 1000)
      if (seconds >= 2) out.progress(`waiting for ${new URL(address).host} (${seconds} s)`)
    }, 1000)
    try {
      return await fetch(address, init)
    } finally {
      clearInterval(tick)
      out.clear()
    }
  }
  return new Client({ url, fetch: send, ...(token === undefined ? {} : { token }) })
}

interface Credential {
  readonly url: string
  readonly token: Token
  readonly domain?: string
}

const environmentUse = { source: 'CALLPLANE_URL', secret: 'token', wayOut: 'use https://' } as const

function credentialOf({ terminal: { env }, profiles, profile }: Setting): Credential {
  const given = env['CALLPLANE_URL'] ?? ''
  const token = env['CALLPLANE_TOKEN']
  if (token !== undefined && token !== '') {
    if (given !== '') return { url: checkAddress(given, environmentUse), token: { token } }
    throw notSignedIn('CALLPLANE_TOKEN needs CALLPLANE_URL, the address of the platform')
  }
  const kept = profiles.read(profile)
  if (kept === undefined) throw notSignedIn(`profile "${profile}" is not signed in`)
  // The token of one platform must not reach another.
  if (given !== '' && given !== kept.url) throw notSignedIn(`CALLPLANE_URL is not the platform of profile "${profile}"`)
  if (kept.expires <= Date.now()) throw notSignedIn(`the login of profile "${profile}" has ended`)
  const domain = kept.domain === undefined ? {} : { domain: kept.domain }
  return { url: kept.url, token: { token: kept.token, key: kept.key }, ...domain }
}

/** Returns the action of a command that needs no login; the words are what commander gives before the command. */
export function withSetting<W extends readonly unknown[]>(
  terminal: Terminal,
  work: (setting: Setting, ...words: W) => Promise<void> | void,
): (...given: [...W, Command]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command
    await work(settingOf(terminal, command.optsWithGlobals()), ...(given.slice(0, -1) as unknown as W))
  }
}

/** Does what {@link withSetting} does, for a command that needs a login. */
export function withSession<W extends readonly unknown[]>(
  terminal: Terminal,
  work: (session: Session, ...words: W) => Promise<void>,
): (...given: [...W, Command]) => Promise<void> {
  return withSetting<W>(terminal, (setting, ...words) => work(sessionOf(setting), ...words))
}
