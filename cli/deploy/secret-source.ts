import { randomInt } from 'node:crypto'
import { type AccountRecord, DocumentError, type Settings } from '../document/model.ts'
import { resolveReference } from '../document/secrets.ts'

/** Where new secrets come from and go to. */
export interface SecretSource {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Keeps a secret that was made here or by the platform, before anything else happens; absent: none may be made. */
  readonly keep?: (what: string, secret: string) => void
}

/** Letters and digits that cannot be mistaken for each other. */
const alphabet = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Characters of a generated password: 128 bits. */
const passwordLength = 22

/** Throws a {@link DocumentError} if the password of a new account can be neither read nor generated. */
export function requirePassword(login: string, { password }: AccountRecord, { env, keep }: SecretSource): void {
  if (password !== undefined) resolveReference(password, env)
  else if (keep === undefined) {
    throw new DocumentError(
      `accounts.${login}: is new and needs a password: write "password: \${env:NAME}", or generate it with --secrets <file>`,
    )
  }
}

/** Returns the password of a new account: from the environment or generated. Throws if neither is possible. */
export function newPassword(login: string, account: AccountRecord, secrets: SecretSource): string {
  requirePassword(login, account, secrets)
  const { env, keep } = secrets
  if (account.password !== undefined) return resolveReference(account.password, env)
  const generated = Array.from({ length: passwordLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  keep?.(`password of ${login}`, generated)
  return generated
}

/** Returns settings with their references resolved. */
export function resolved(settings: Settings, { env }: SecretSource): Settings {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, resolveReference(value, env)]))
}
