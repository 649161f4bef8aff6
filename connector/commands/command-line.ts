import { autoAnswerText } from '../../contracts/messages/command.ts'
import {
  channelId,
  dialTarget,
  displayDigits,
  domainName,
  gatewayName,
  hangupCause,
  login,
  requestId,
  uuid,
} from '../../contracts/fields.ts'
import { registeredName } from '../../core/accounts/dial-string.ts'
import { checkCallVariables } from '../../core/channels/call-variables.ts'
import { gatewayAtEngine, revisionVariable } from '../../core/gateways/gateway.ts'
import { causeVariable } from '../calls/channel.ts'
import type { ClientVariables } from '../../core/client-names/client-names.ts'
import type { EavesdropCommand, EngineCommand, OriginateCommand } from '../../core/commands/commands.ts'
import { escapeForEngine } from '../../core/requests/engine-text.ts'
import { hasControls } from '../../core/requests/safe-text.ts'

/** A value that cannot be part of a command line. The message names the field and never the value. */
export class ValueRefused extends Error {
  override readonly name = 'ValueRefused'

  constructor(field: string, options?: ErrorOptions) {
    super(`${field} cannot stand in an engine command`, options)
  }
}

/** The commands that drop registrations. */
export type DropCommand = Extract<EngineCommand, { readonly kind: 'drop-registrations' | 'drop-domain-registrations' }>

/** The commands that become one line each; the others begin with reading what the engine has. */
export type LineCommand = Exclude<
  EngineCommand,
  { readonly kind: 'list-channels' | 'hang-up-domain' | 'apply-gateway' | 'erase-messages' } | DropCommand
>

interface ValueSchema {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: unknown }
}

/**
 * Returns the line of a command for the engine, without `bgapi` and line end. This is the only place that builds one:
 * every value is checked against its allow-list once more, no matter who made the command, and the whole line is
 * checked in the end. `domain` is the lower-cased domain of the command's scope; root's orders to a channel have none.
 * `added` are the operator's names of variables. `cause` is the id of the API request, which a placed call carries as
 * {@link causeVariable}. Throws {@link ValueRefused}. No value is ever changed to fit, except that commas of variables
 * are escaped.
 */
export function commandLine(
  command: LineCommand,
  domain: string | null,
  added: ClientVariables = new Map(),
  cause?: string,
): string {
  return soleLine(compose(command, domain, { added, cause }))
}

/**
 * Returns the lines that ask an engine for the contacts of an account's phones: registered under the login, and under
 * the full name. Throws {@link ValueRefused} as {@link commandLine} does.
 */
export function contactLines(login: string, domain: string | null): readonly string[] {
  return registeredAddresses(login, domain).map((address) => soleLine(`sofia_contact ${address}`))
}

/**
 * Returns the line that makes the engine forget the directory records that a drop is about. Throws
 * {@link ValueRefused} as {@link commandLine} does.
 */
export function forgetLine(command: DropCommand, domain: string | null): string {
  if (command.kind === 'drop-registrations') return commandLine({ ...command, kind: 'flush-account' }, domain)
  return commandLine({ kind: 'flush-directory' }, domain)
}

/**
 * Returns the lines that drop the registrations of an account, or of a whole domain, at one SIP profile of an engine.
 * Throws {@link ValueRefused} as {@link commandLine} does; {@link isProfileName} says which profiles can be named.
 */
export function dropLines(command: DropCommand, domain: string | null, profile: string): readonly string[] {
  if (!isProfileName(profile)) throw new ValueRefused('profile')
  const addresses =
    command.kind === 'drop-registrations'
      ? registeredAddresses(command.login, domain)
      : [`@${checked(domainName, domain, 'domain')}`]
  return addresses.map((address) => soleLine(`sofia profile ${profile} flush_inbound_reg ${address}`))
}

/**
 * Returns the lines that empty the mailbox of an account, list its messages, and remove those that were deleted. Throws
 * {@link ValueRefused} as {@link commandLine} does.
 */
export function mailboxLines(name: string, domain: string | null) {
  const [user, of] = [checked(login, name, 'login'), checked(domainName, domain, 'domain')]
  return {
    empty: soleLine(`vm_delete ${user}@${of}`),
    list: soleLine(`vm_list ${user}@${of}`),
    purge: soleLine(`vm_fsdb_msg_purge default ${of} ${user}`),
  }
}

/** Returns the line that deletes a message; `undefined` for an id that is no uuid. Throws like {@link mailboxLines}. */
export function messageLine(name: string, domain: string | null, id: string): string | undefined {
  const [user, of] = [checked(login, name, 'login'), checked(domainName, domain, 'domain')]
  return uuid.safeParse(id).success ? soleLine(`vm_fsdb_msg_delete default ${of} ${user} ${id}`) : undefined
}

/** The SIP profile of engines that has the gateways of tenants. */
export const gatewayProfile = 'external'

/**
 * Returns the name of a gateway at engines, and the lines with which an engine removes it and answers its revision.
 * Throws {@link ValueRefused} as {@link commandLine} does.
 */
export function gatewayLines({ name }: { readonly name: string }, domain: string | null) {
  const gateway = gatewayAtEngine({
    domain: checked(domainName, domain, 'domain'),
    name: checked(gatewayName, name, 'gateway'),
  })
  return {
    gateway,
    kill: soleLine(`sofia profile ${gatewayProfile} killgw ${gateway}`),
    revision: soleLine(`sofia_gateway_data ${gateway} ivar ${revisionVariable}`),
  }
}

/** The line that makes an engine ask for all gateways; it adds those that it lacks and changes none. */
export const rescanLine = `sofia profile ${gatewayProfile} rescan`

/** Returns whether the name of a SIP profile may appear in a command line. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)
}

interface Additions {
  readonly added: ClientVariables
  readonly cause: string | undefined
}

function compose(command: LineCommand, domain: string | null, additions: Additions): string {
  switch (command.kind) {
    case 'originate':
      return originate(command, checked(domainName, domain, 'domain'), additions)
    case 'hold':
      return `uuid_hold ${checked(channelId, command.uuid, 'uuid')}`
    case 'unhold':
      return `uuid_hold off ${checked(channelId, command.uuid, 'uuid')}`
    case 'hangup':
      return `uuid_kill ${checked(channelId, command.uuid, 'uuid')} ${checked(hangupCause, command.cause, 'cause')}`
    case 'eavesdrop':
      return eavesdrop(command, checked(domainName, domain, 'domain'), additions)
    case 'flush-account':
      return `xml_flush_cache id ${checked(login, command.login, 'login')} ${checked(domainName, domain, 'domain')}`
    case 'flush-directory':
      return 'xml_flush_cache'
  }
}

function originate(command: OriginateCommand, domain: string, additions: Additions): string {
  const called = checked(dialTarget, command.calledId, 'calledId')
  const variables = [
    ['origination_uuid', checked(uuid, command.uuid, 'uuid')],
    ['domain_name', domain],
    ...causeVariables(additions),
    ['ignore_early_media', 'true'],
    ['originate_timeout', wholeSeconds(command.timeoutSeconds)],
    ...autoAnswer(command.autoAnswer),
    ...ownVariables(command.variables, additions.added),
  ]
  const caller = accountAddress(command.callerId, domain)
  return `originate ${variableList(variables)}user/${caller} ${called} XML ${domain} ${called} ${called}`
}

function causeVariables({ cause }: Additions): string[][] {
  return cause === undefined ? [] : [[causeVariable, checked(requestId, cause, 'requestId')]]
}

/** Which legs hear the listener. The engine lets keys switch the mode unless an option forbids it. */
const whispers = { listen: [], whisper_a: ['aleg'], whisper_b: ['bleg'], barge: ['aleg', 'bleg'] } as const

function eavesdrop(command: EavesdropCommand, domain: string, additions: Additions): string {
  const side = either(displayDigits, login, command.side, 'side')
  const variables = [
    ['origination_uuid', checked(uuid, command.uuid, 'uuid')],
    ['domain_name', domain],
    ...causeVariables(additions),
    ['ignore_early_media', 'true'],
    ...whispers[command.mode].map((leg) => [`eavesdrop_whisper_${leg}`, 'true']),
    ['eavesdrop_enable_dtmf', command.dtmf ? 'true' : 'false'],
    ...(command.display === undefined
      ? []
      : [['origination_caller_id_number', checked(displayDigits, command.display, 'display')]]),
    ...ownVariables(command.variables, additions.added),
  ]
  const listener = accountAddress(command.user, domain)
  const target = checked(channelId, command.target, 'target')
  return `originate ${variableList(variables)}user/${listener} &eavesdrop(${target}) XML ${domain} ${side} ${side}`
}

function accountAddress(name: string, domain: string | null): string {
  return `${checked(login, name, 'login')}@${checked(domainName, domain, 'domain')}`
}

function registeredAddresses(name: string, domain: string | null): string[] {
  const address = accountAddress(name, domain)
  return [address, `${registeredName({ login: name, domain: domain ?? '' })}@${domain}`]
}

function autoAnswer(given: OriginateCommand['autoAnswer']): string[][] {
  if (given === undefined) return []
  checked(autoAnswerText, `${given.name}=${given.value}`, 'autoAnswer')
  if (given.name.includes('=')) throw new ValueRefused('autoAnswer')
  return [[given.name, given.value]]
}

const variableName = /^[A-Za-z0-9_-]{1,64}$/

/**
 * The values that the API accepts: no control characters, brackets or backslash, so that only {@link variableList}
 * needs care.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const variableValue = /^[^\u0000-\u001f\u007f{}[\]\\]{0,256}$/u

/** The caller's permissions were judged before the command was queued: the widest list of calls holds here. */
function ownVariables(variables: Readonly<Record<string, string>>, added: ClientVariables): string[][] {
  const entries = Object.entries(variables)
  const fits = ([name, value]: [string, string]) =>
    variableName.test(name) && variableValue.test(value) && value.isWellFormed()
  if (!entries.every(fits)) throw new ValueRefused('variables')
  try {
    checkCallVariables(variables, { isTrusted: true, added })
  } catch (cause) {
    throw new ValueRefused('variables', { cause })
  }
  return entries
}

/**
 * `{a=1,b='two words',c=1\,2}`. The engine splits its arguments at spaces, except inside single quotes; quotes protect
 * nothing else. It splits the list at commas, except after a backslash, and each part at `=`. At each of the three it
 * takes quotes and a level of backslashes away, so that an apostrophe has seven before it. Braces must not be there at
 * all.
 */
function variableList(variables: readonly (readonly string[])[]): string {
  const parts = variables.map(([name, value = '']) => {
    const escaped = escapeForEngine(value, 7)
    return `${name}=${value.includes(' ') ? `'${escaped}'` : escaped}`
  })
  return `{${parts.join(',')}}`
}

function wholeSeconds(seconds: number): string {
  if (!Number.isInteger(seconds) || seconds < 5 || seconds > 120) throw new ValueRefused('timeoutSeconds')
  return `${seconds}`
}

/** The value itself, when it matches and is already in the one spelling that the schema makes of it. */
function checked(schema: ValueSchema, value: string | null, field: string): string {
  const result = schema.safeParse(value)
  if (value === null || !result.success || result.data !== value) throw new ValueRefused(field)
  return value
}

function either(first: ValueSchema, second: ValueSchema, value: string, field: string): string {
  return first.safeParse(value).success ? checked(first, value, field) : checked(second, value, field)
}

/** No command is longer: 32 variables of 256 four-byte characters, and the rest. */
const maxLineBytes = 65_536

/**
 * The last look at the whole line: one line, of a bounded length, that the engine takes for one command. A line with
 * `reload` or `unload` and `mod_event_socket` anywhere in it reloads that module and cuts every client off; `:_:`
 * anywhere splits a dial string in two.
 */
function soleLine(line: string): string {
  const reloads = /reload|unload/i.test(line) && /mod_event_socket/i.test(line)
  const broken = hasControls(line) || line.includes(':_:') || line.includes('${')
  if (reloads || broken || Buffer.byteLength(line) > maxLineBytes) throw new ValueRefused('the command')
  return line
}
