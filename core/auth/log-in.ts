import { lowerAscii } from '../access/resolve-domain.ts'
import { readRoles } from '../access/read-roles.ts'
import { aclOfRole, numberOfRole, rootName, rootRole, shownAcl } from '../access/roles.ts'
import { DomainError, invalidField } from '../errors.ts'
import type { Account } from '../accounts/account.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import type { RoleStore } from '../access/role-store.ts'
import type { PasswordHasher, RootPassword, SecretBox, SecretReader } from '../secrets.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import type { TokenStore } from './token-store.ts'
import type { SessionStore } from './credentials.ts'
import type { Randomness } from '../time.ts'
import { CodeMissing, type LoginThrottle } from './login-throttle.ts'
import { type LoginAttempt, throttleLogin } from './throttle-login.ts'
import type { OneTimeCodes } from './one-time-codes.ts'
import { factorPurpose } from './second-factor.ts'

/** The most valid tokens of one user; a further login ends the oldest. */
const maxTokens = 50

/** The ports of a login. */
export interface LoginPorts {
  readonly accounts: Pick<AccountStore, 'read' | 'useCode'>
  readonly roles: Pick<RoleStore, 'read'>
  readonly secretBox: Pick<SecretBox, 'open'>
  readonly domains: Pick<DomainStore, 'read'>
  readonly tokens: Pick<TokenStore, 'create'>
  readonly passwords: Pick<PasswordHasher, 'verify'>
  readonly secrets: Pick<SecretReader, 'rootPassword'>
  readonly loginThrottle: Pick<
    LoginThrottle,
    'begin' | 'settle' | 'release' | 'clear' | 'pause' | 'isKnown' | 'remember'
  >
  readonly sessions: Pick<SessionStore, 'touch'>
}

/** The input of a login and its source. */
export interface LoginInput {
  readonly username: string | undefined
  readonly password: string | undefined
  readonly code: string | undefined
  readonly sourceAddress: string
}

/** The inputs of a login in addition to its ports. */
export interface LoginContext {
  /** Epoch milliseconds. */
  readonly now: number
  readonly random: Randomness
  readonly tokenSeconds: number
  readonly codes: OneTimeCodes
  /** Compares two secrets in constant time. */
  readonly sameText: (a: string, b: string) => boolean
  /** Writes the token's text from its claims and 32 random bytes. */
  readonly writeToken: (
    claims: { readonly username: string; readonly domain: string; readonly key: string },
    secret: Uint8Array,
  ) => string
  readonly tokenDigest: (text: string) => string
  /** Receives the user's name once it is known to exist, whether or not the login succeeds. */
  readonly actAs: (username: string, domain: string) => void
}

/** The result of a login; `expires` is epoch milliseconds. */
export interface LoginResult {
  readonly key: string
  readonly username: string
  readonly expires: number
  readonly token: string
  readonly role: number
  readonly roleName: string
  readonly acl: Record<string, string[]>
}

interface NamedUser {
  readonly isRoot: boolean
  /** The name with its domain in lower case. */
  readonly username: string
  readonly login: string
  /** Empty for root. */
  readonly domain: string
}

/**
 * Exchanges a name and a password for a token. Throws `missing_field` or `invalid_field` for a malformed name,
 * `locked_out` after too many failures, `not_found` for an unknown user and `invalid_credentials` for a wrong or
 * missing password. For an account with a second factor, a missing, wrong or used one-time code is
 * `invalid_credentials` too, and the details then name the field `code`. Every admitted attempt costs one password
 * hash, whatever user it names.
 */
export async function logIn(ports: LoginPorts, input: LoginInput, context: LoginContext): Promise<LoginResult> {
  const user = readUser(input.username)
  context.actAs(user.username, user.domain)
  const rootPassword = user.isRoot ? await ports.secrets.rootPassword() : undefined
  const attempt: LoginAttempt = {
    user: { domain: user.domain, login: lowerAscii(user.login) },
    rootVersion: rootPassword?.version,
    sourceAddress: input.sourceAddress,
    now: context.now,
  }
  const proven = await throttleLogin(ports.loginThrottle, attempt, () =>
    rootPassword === undefined
      ? proveUser(ports, user, input, context)
      : proveRoot(ports, rootPassword, input, context),
  )
  return issueToken(ports, user, proven, context)
}

function readUser(given: string | undefined): NamedUser {
  if (given === undefined || given === '') {
    throw new DomainError('missing_field', 'User name is required', {
      details: [{ field: 'username', problem: 'must be given' }],
    })
  }
  if (given === rootName) return { isRoot: true, username: rootName, login: rootName, domain: '' }
  const at = given.lastIndexOf('@')
  if (at < 0 || given.length > 320) throw invalidField('username', 'must be "<login>@<domain>"')
  const login = given.slice(0, at)
  const domain = lowerAscii(given.slice(at + 1))
  return { isRoot: false, username: `${login}@${domain}`, login, domain }
}

type Proven = { readonly account: Account } | { readonly rootVersion: string }

/** Checks root's password, at the cost of a hash as for any user. */
async function proveRoot(
  ports: Pick<LoginPorts, 'passwords'>,
  { text, version }: RootPassword,
  { password }: LoginInput,
  { sameText }: LoginContext,
): Promise<Proven> {
  await ports.passwords.verify(password ?? '', undefined)
  if (password === undefined || text === '' || !sameText(password, text)) throw wrongPassword()
  return { rootVersion: version }
}

async function proveUser(
  ports: LoginPorts,
  user: NamedUser,
  { password, code }: LoginInput,
  context: LoginContext,
): Promise<Proven> {
  const account = await findAccount(ports, user)
  const isRight = await ports.passwords.verify(password ?? '', account?.passwordHash)
  if (account === undefined) throw new DomainError('not_found', 'User not found')
  if (password === undefined || !isRight) throw wrongPassword()
  await proveSecondFactor(ports, account, code, context)
  return { account }
}

async function proveSecondFactor(
  { accounts, secretBox }: LoginPorts,
  account: Account,
  code: string | undefined,
  { now, codes }: LoginContext,
): Promise<void> {
  const { secondFactor } = account
  if (secondFactor?.isOn !== true) return
  if (code === undefined || code === '') throw new CodeMissing()
  const step = codes.stepOf(await secretBox.open(secondFactor.sealed, factorPurpose(account)), code, now)
  if (step === undefined || !(await accounts.useCode(account, step))) throw wrongCode()
}

function wrongCode(): DomainError {
  const details = [{ field: 'code', problem: 'is wrong or was used already' }]
  return new DomainError('invalid_credentials', 'a one-time code is needed', { details })
}

const wrongPassword = () => new DomainError('invalid_credentials', 'invalid credentials')

/** Reads both domain and account, whether or not the first exists. */
async function findAccount(ports: LoginPorts, { domain, login }: NamedUser): Promise<Account | undefined> {
  if (!/^[A-Za-z0-9._+-]{1,64}$/.test(login) || !/^[a-z0-9.-]{1,253}$/.test(domain)) return undefined
  const [tenant, account] = await Promise.all([ports.domains.read(domain), ports.accounts.read(domain, login)])
  return tenant === undefined ? undefined : account
}

async function issueToken(
  ports: LoginPorts,
  user: NamedUser,
  proven: Proven,
  { now, random, tokenSeconds, writeToken, tokenDigest }: LoginContext,
): Promise<LoginResult> {
  const account = 'account' in proven ? proven.account : undefined
  const login = account?.login ?? user.login
  const owner = account === undefined ? login : `${login}@${user.domain}`
  const role = account?.role ?? rootRole
  const custom = await readRoles(ports.roles, user.domain, [role])
  const key = random.uuid()
  const text = writeToken({ username: owner, domain: user.domain, key }, random.bytes(32))
  const expires = now + tokenSeconds * 1000
  await ports.tokens.create(
    {
      key,
      username: owner,
      domain: user.domain,
      login,
      digest: tokenDigest(text),
      credentialsId: 'account' in proven ? proven.account.credentialsId : proven.rootVersion,
      createdAt: now,
      expiresAt: expires,
      enabled: true,
    },
    maxTokens,
  )
  await ports.sessions.touch(owner, user.domain, now)
  return {
    key,
    username: user.username,
    expires,
    token: text,
    role: numberOfRole(role),
    roleName: role,
    acl: shownAcl(aclOfRole(role, custom) ?? {}),
  }
}
