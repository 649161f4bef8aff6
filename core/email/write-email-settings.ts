import { type Precondition, requireMatch } from '../requests/precondition.ts'
import { untilDone } from '../concurrency/retry.ts'
import { invalidField } from '../errors.ts'
import type { AddressGuard } from '../requests/target-url.ts'
import type { EmailSettingsStore } from './email-settings-store.ts'
import type { SecretBox } from '../secrets.ts'
import type { Clock, Randomness } from '../time.ts'
import { type EmailInput, mailHost, readEmailOptions } from './email-rules.ts'
import {
  type EmailAuth,
  type EmailSettings,
  type MailServer,
  maskedPassword,
  noEmailSettings,
} from './email-settings.ts'

/** The ports of {@link writeEmailSettings}. */
export interface WriteEmailSettingsPorts {
  readonly emailSettings: Pick<EmailSettingsStore, 'read' | 'put'>
  readonly secretBox: Pick<SecretBox, 'seal'>
}

/** The inputs of writing settings in addition to the ports. */
export interface EmailContext {
  readonly domain: string
  readonly clock: Clock
  readonly random: Randomness
  readonly guard: AddressGuard
  readonly precondition: Precondition
  /** Whether settings must already exist: `not_found` otherwise. */
  readonly mustExist: boolean
}

/** Random bytes of an id: 24 hex digits. */
const idBytes = 12

/** Returns the purpose that the password of a domain's mail server is sealed for: it opens for no other domain. */
function emailPasswordPurpose(domain: string): string {
  return `email-password:${domain}`
}

/**
 * Writes the complete mail settings of a domain: fields that are left out get their defaults. Replaced settings keep
 * their id, and also their password if the new one is exactly eight asterisks. Throws `invalid_field`, also for
 * asterisks without a stored password, and `not_found` and `precondition_failed` as the context demands.
 */
export async function writeEmailSettings(
  ports: WriteEmailSettingsPorts,
  input: EmailInput,
  context: EmailContext,
): Promise<EmailSettings> {
  const options = readEmailOptions(input, context.guard)
  const id = hex(context.random.bytes(idBytes))
  const sealed = await sealPassword(ports, input, context.domain)
  return untilDone(async () => {
    const previous = await ports.emailSettings.read(context.domain)
    if (previous === undefined && context.mustExist) throw noEmailSettings()
    requireMatch(context.precondition, previous)
    const settings: EmailSettings = {
      id: previous?.id ?? id,
      domain: context.domain,
      provider: input.provider,
      description: input.description ?? '',
      from: input.from ?? '',
      options: { ...options, ...withAuth(input, sealed, previous) },
      createdAt: previous?.createdAt ?? context.clock.now(),
      version: (previous?.version ?? 0) + 1,
    }
    return (await ports.emailSettings.put(settings)) ? settings : undefined
  })
}

async function sealPassword(
  { secretBox }: WriteEmailSettingsPorts,
  { options }: EmailInput,
  domain: string,
): Promise<string | undefined> {
  const pass = options.auth?.pass ?? ''
  if (pass === '' || pass === maskedPassword) return undefined
  return secretBox.seal(new TextEncoder().encode(pass), emailPasswordPurpose(domain))
}

function withAuth(
  { options }: EmailInput,
  sealed: string | undefined,
  previous: EmailSettings | undefined,
): { auth?: EmailAuth } {
  const { auth } = options
  if (auth === undefined) return {}
  const sealedPass = auth.pass === maskedPassword ? previous?.options.auth?.sealedPass : sealed
  if (auth.pass === maskedPassword && sealedPass === undefined) {
    throw invalidField('options.auth.pass', 'no password is stored that could be kept')
  }
  return {
    auth: {
      ...(auth.user === undefined ? {} : { user: auth.user }),
      ...(sealedPass === undefined ? {} : { sealedPass }),
    },
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Returns the sender's address: the configured one, or the login at the server if that is an address. */
export function senderOf({ from, options }: EmailSettings): string | undefined {
  const address = from === '' ? (options.auth?.user ?? '') : from
  return /^[^\s@<>,;]+@[^\s@<>,;]+$/.test(address) ? address : undefined
}

/** Returns the mail server of a domain, with its login in clear. */
export async function mailServerOf(
  secretBox: Pick<SecretBox, 'open'>,
  { domain, options }: EmailSettings,
): Promise<MailServer> {
  const { host, port, secure, tls, auth } = options
  const server = { host: mailHost(host), port, secure, tls }
  if (auth?.user === undefined || auth.user === '') return server
  const pass =
    auth.sealedPass === undefined
      ? ''
      : new TextDecoder().decode(await secretBox.open(auth.sealedPass, emailPasswordPurpose(domain)))
  return { ...server, auth: { user: auth.user, pass } }
}
