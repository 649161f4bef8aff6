import type { Command } from 'commander'
import { type Answer, CallplaneError, type Client } from '../../client/index.ts'
import { CliError, exitCodes, notSignedIn } from '../failure/exit.ts'
import { askSecret, readSecret } from '../input/secret.ts'
import type { Columns } from '../output/table.ts'
import { checkAddress } from '../session/address.ts'
import { type Setting, clientOf, withSession, withSetting } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'

interface LoginOptions {
  readonly url: string
  readonly user: string
  readonly password?: string
  readonly passwordStdin?: true
  readonly code?: string
  readonly insecureHttp?: true
}

/** Adds the commands about the login: login, logout, whoami, profiles. */
export function addLogin(program: Command, terminal: Terminal): void {
  program
    .command('login')
    .description(
      'Sign in at a platform and keep the token in the profile, readable by you alone. The password is not kept.',
    )
    .requiredOption('--url <address>', 'the address of the platform')
    .requiredOption('--user <name>', 'login@domain, or root')
    .option('--password <password>', 'the password; other users of this machine can see it: leave it out to be asked')
    .option('--password-stdin', 'read the password from the first line of standard input')
    .option('--code <digits>', 'the one-time code of a second factor; asked for when needed')
    .option('--insecure-http', 'allow http:// to another machine, where the network can read the password')
    .addHelpText(
      'after',
      examples(
        'login --url http://127.0.0.1:8080 --user 1000@demo.example.com',
        'login --url https://api.example.com --user root --profile prod --password-stdin < password.txt',
      ),
    )
    .action(withSetting(terminal, logIn))
  program
    .command('logout')
    .description('End the login of the profile and forget its token.')
    .addHelpText('after', examples('logout', 'logout --profile prod'))
    .action(withSetting(terminal, logOut))
  program
    .command('whoami')
    .description('Show who is signed in, where, until when, and what the role allows.')
    .addHelpText('after', examples('whoami', 'whoami --json'))
    .action(
      withSession(terminal, async ({ client, out, profile, url }) => {
        const caller = await client.call('whoAmI')
        const acl = Object.entries(caller.acl).map(([resource, actions]) => `${resource} (${actions.join(' ')})`)
        out.record(caller, {
          profile,
          url,
          user: caller.id,
          domain: caller.domain,
          role: caller.roleName,
          expires: { time: caller.expires },
          may: acl.join(', '),
        })
      }),
    )
  program
    .command('profiles')
    .description('List the profiles of this machine.')
    .addHelpText('after', examples('profiles'))
    .action(withSetting(terminal, listProfiles))
}

function listProfiles({ out, profiles, profile }: Setting): void {
  const rows = profiles.names().map((name) => {
    const kept = profiles.find(name)
    const isInUse = name === profile
    if (kept === undefined) return { name, isInUse, user: 'damaged: sign in again' }
    return { name, isInUse, url: kept.url, user: kept.user, expires: kept.expires }
  })
  const columns: Columns<(typeof rows)[number]> = {
    profile: (row) => row.name,
    'in use': { of: (row) => (row.isInUse ? 'yes' : ''), look: 'state', rank: 1 },
    url: { of: (row) => row.url, least: 16, rank: 1 },
    user: { of: (row) => row.user, least: 16 },
    expires: { of: (row) => row.expires, look: 'time', rank: 2 },
  }
  out.list(rows, columns, 'no profile yet; make one with: callplane login')
}

async function logIn(setting: Setting, options: LoginOptions): Promise<void> {
  const { out, profiles, profile, terminal } = setting
  const url = checkAddress(options.url, {
    source: '--url',
    secret: 'password',
    wayOut: 'use https://, or allow it with --insecure-http',
    isInsecureAllowed: options.insecureHttp === true,
  })
  const password = await passwordOf(terminal, options)
  const client = clientOf(setting, url)
  const result = await requestToken(terminal, client, { ...options, password })
  const { token, key, expires, username, roleName } = result
  const domain = setting.options.domain
  profiles.write(profile, { url, user: username, token, key, expires, ...(domain === undefined ? {} : { domain }) })
  const shown = { profile, url, username, roleName, expires }
  out.done(shown, `signed in at ${url} as ${username} (${roleName}) until ${out.time(expires)}, profile "${profile}"`)
}

async function passwordOf(terminal: Terminal, { user, password, passwordStdin }: LoginOptions): Promise<string> {
  if (password !== undefined && passwordStdin === true) {
    throw new CliError('give --password or --password-stdin, not both', exitCodes.usage)
  }
  if (passwordStdin === true) return readSecret(terminal)
  return password ?? askSecret(terminal, `Password of ${user}: `, 'pipe the password in and give --password-stdin')
}

interface Credentials {
  readonly user: string
  readonly password: string
  readonly code?: string
}

/** Logs in, and once more with a one-time code where the platform asks for one. */
async function requestToken(
  terminal: Terminal,
  client: Client,
  { user: username, password, code }: Credentials,
): Promise<Answer<'logIn'>> {
  const body = { username, password }
  try {
    return await client.call('logIn', { body: code === undefined ? body : { ...body, code } })
  } catch (error) {
    const needsCode =
      error instanceof CallplaneError && code === undefined && error.details.some(({ field }) => field === 'code')
    if (!needsCode) throw refusalOf(error)
    const given = await askSecret(terminal, 'One-time code: ', 'give the one-time code with --code')
    return client.call('logIn', { body: { ...body, code: given } })
  }
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof CallplaneError) || error.code !== 'invalid_credentials') return error
  return new CliError('the platform refused the user name or the password: try again', exitCodes.notSignedIn, error)
}

async function logOut(setting: Setting): Promise<void> {
  const { out, profiles, profile } = setting
  const kept = profiles.read(profile)
  if (kept === undefined) throw notSignedIn(`profile "${profile}" is not signed in`)
  try {
    await clientOf(setting, kept.url, { token: kept.token, key: kept.key }).logOut()
  } catch (error) {
    // A token that has ended needs no end.
    if (!(error instanceof CallplaneError) || error.status !== 401) throw error
  }
  profiles.remove(profile)
  out.done({ profile, url: kept.url }, `signed out of ${kept.url}, profile "${profile}"`)
}
