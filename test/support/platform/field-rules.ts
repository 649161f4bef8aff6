/** The contract's rules for names and settings, written a second time, and values on both sides of each. */
import * as fc from 'fast-check'
import { hostileText, isUnreadable, mutated, notText, withInside } from '../records/hostile-text.ts'

/** A value that is sent in a field, and the contract's verdict on it. */
export interface FieldRule {
  readonly values: fc.Arbitrary<unknown>
  readonly isTaken: (value: unknown) => boolean
}

const isText = (value: unknown): value is string => typeof value === 'string' && !isUnreadable(value)
const text = (good: string) => fc.oneof({ weight: 3, arbitrary: mutated(good) }, hostileText, notText)
// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const isPlain = (value: string) => !/[\u0000-\u001f\u007f]/.test(value)
const expands = (value: string) => value.includes('${') || /[\ufffe\uffff]/.test(value)

type IsFree = (name: string, value: string) => boolean

const isOneOf =
  (...values: string[]) =>
  (value: string) =>
    values.includes(value)
const matches = (pattern: RegExp) => (value: string) => pattern.test(value)
const digits = matches(/^\d{1,9}$/)

/** The closed list of parameters that accounts and domains share. */
const freeParameters = new Map<string, (value: string) => boolean>([
  ...['enabled', 'attach-file', 'email-all-messages', 'notify-email-all-messages', 'keep-local-after-email'].map(
    (name) => [`vm-${name}`, isOneOf('true', 'false')] as const,
  ),
  ['vm-skip-instructions', isOneOf('true', 'false')],
  ['vm-mailto', matches(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}@[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/)],
  ['vm-disk-quota', digits],
  ['vm-message-ext', isOneOf('wav', 'mp3')],
])

const shownName = matches(/^[\p{L}\p{M}\p{N} ._+()&/-]{0,64}$/u)
const shownNumber = matches(/^[0-9+*#]{1,32}$/)

/** The closed list of variables. */
const freeVariables = new Map<string, (value: string) => boolean>([
  ['default_language', matches(/^[a-z]{2}(-[A-Za-z]{2,4})?$/)],
  ['default_areacode', digits],
  ['call_timeout', digits],
  ['effective_caller_id_name', shownName],
  ['outbound_caller_id_name', shownName],
  ['directory_full_name', shownName],
  ['effective_caller_id_number', shownNumber],
  ['outbound_caller_id_number', shownNumber],
  ['callgroup', matches(/^[A-Za-z0-9_,-]{1,256}$/)],
  ['toll_allow', matches(/^[A-Za-z0-9_,-]{1,256}$/)],
])

const isOwnText = (value: string) =>
  /^[\p{L}\p{M}\p{N} ._+()&/:@=;%?#-]{0,256}$/u.test(value) && !value.startsWith('ARRAY::')

const isFreeVariable: IsFree = (name, value) =>
  freeVariables.get(name)?.(value) ?? (/^x[-_]/.test(name) && !/x-pre-process/i.test(name) && isOwnText(value))

const isFreeParameter: IsFree = (name, value) =>
  freeParameters.get(name)?.(value) ?? (name.startsWith('x-') && !/x-pre-process/i.test(name))

/** Names that mean something to the engine and are on no list, and beginnings of such names. */
const held = (
  'api exec bridge sip sofia rtp media bypass codec absolute origination domain dialed presence user w_ svc record ' +
  'session transfer park hold hangup export loopback cdr uuid context caller inbound_dialplan dialplan vm-cc ' +
  'group_confirm_key campon voicemail_authorized ringback sound_prefix process_cdr x-pre-process __proto__'
).split(' ')

const isListed = (name: string) => freeParameters.has(name) || freeVariables.has(name)

/** Settings with rules of their own, and with places of their own where they are shown. */
const apart = /^(?:password|role|svc-extensions|vm-password|account_role)=/i

const isAssignment = (item: unknown, isFree: IsFree): boolean => {
  if (!isText(item)) return false
  const at = item.indexOf('=')
  const [name, value] = [item.slice(0, Math.max(0, at)), item.slice(at + 1)]
  // A value that is empty removes its name.
  if (at < 0 || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) return false
  if (!isFree(name, value) && !(value === '' && isListed(name))) return false
  return (
    !/x-pre-process/i.test(value) &&
    isPlain(value) &&
    !/[[\]{}]/.test(value) &&
    Array.from(value).length <= 1024 &&
    !expands(value)
  )
}

function settings(good: readonly string[], names: fc.Arbitrary<string>, isFree: IsFree): FieldRule {
  const item = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...good).chain(mutated) },
    { weight: 3, arbitrary: fc.tuple(names, hostileText).map((pair) => pair.join('=')) },
    { weight: 2, arbitrary: names.map((name) => `${name}=1`) },
    { weight: 2, arbitrary: fc.constantFrom(...good, `${good[0]?.split('=')[0]}=${'x'.repeat(1025)}`) },
    { weight: 1, arbitrary: fc.oneof(hostileText, notText) },
  )
  const list = fc
    .array(item, { minLength: 1, maxLength: 3 })
    .filter((items) => !items.some((each) => apart.test(String(each))))
  const tooMany = fc.constant(Array.from({ length: 101 }, (_, index) => `${good[0]?.split('=')[0]}=${index}`))
  const values = fc.oneof(
    { weight: 12, arbitrary: list },
    tooMany,
    hostileText,
    notText.filter((value) => !Array.isArray(value)),
  )
  return {
    values,
    isTaken: (value) =>
      Array.isArray(value) && value.length <= 100 && value.every((each) => isAssignment(each, isFree)),
  }
}

/** The letters of a name in any case, with any end. */
const disguised = (name: string) =>
  fc
    .tuple(
      fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }),
      fc.constantFrom('', '_x', '-1', 'X'),
    )
    .map(
      ([upper, end]) =>
        Array.from(name, (letter, at) => (upper[at] === true ? letter.toUpperCase() : letter)).join('') + end,
    )

const isLabel = (label: string) => /^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(label)
const isHost = (name: string) => name.length <= 253 && name.split('.').every(isLabel)
const isLocalPart = (part: string) =>
  part.length <= 64 && part.split('.').every((atom) => /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/.test(atom))

/** An address of a network that no mail server of a tenant may be in, in one of the notations that sockets take. */
const privateHost = fc
  .tuple(fc.constantFrom(0, 10, 127, 0xa9fe, 0xc0a8), fc.nat({ max: 0xffff }), fc.nat({ max: 5 }))
  .map(([start, rest, notation]) => {
    const value = start > 0xff ? start * 0x10000 + rest : start * 0x1000000 + rest
    const bytes = [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256)
    const hex = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)
    return [
      bytes.join('.'),
      String(value),
      `0x${value.toString(16)}`,
      bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
      `::ffff:${bytes.join('.')}`,
      `[::ffff:${hex.toString(16)}:${rest.toString(16)}]`,
    ][notation]
  })

const never = () => false

/** By field, as requests name it. */
export const fieldRules: Readonly<Record<string, FieldRule>> = {
  login: {
    values: text('2000'),
    isTaken: (value) => isText(value) && /^[A-Za-z0-9._+-]{1,64}$/.test(value) && value !== '__proto__',
  },
  password: {
    values: fc.oneof(
      text('long enough'),
      withInside('long enough', ['${', '$${', '$ {', '$(', '{}', '\ufffe', '\uffff', '\t', '\n', '\u007f']),
      fc.constantFrom('', 'xx', 'x'.repeat(129), '日'.repeat(128)),
    ),
    isTaken: (value) => isText(value) && value.length >= 3 && value.length <= 128 && isPlain(value) && !expands(value),
  },
  parameters: settings(
    ['vm-enabled=true', 'x-badge=7'],
    fc.oneof(
      fc.constantFrom('dial-string', 'http-allowed-api', 'a1-hash', 'svc-admin', 'jsonrpc-password').chain(disguised),
      fc.constantFrom(
        'vm-convert-cmd',
        'vm-storage-dir',
        'vm-cc',
        'vm-a1-hash',
        'vm-',
        'x-',
        'X-a',
        'VM-enabled',
        'x-a',
        'vm-mailto',
      ),
    ),
    isFreeParameter,
  ),
  variables: settings(
    ['default_language=uk', 'x_department=sales', 'toll_allow=a,b'],
    fc.oneof(
      fc.constantFrom(...held).chain(disguised),
      fc.constantFrom(...freeVariables.keys(), 'x_a', 'x-a').chain(disguised),
    ),
    isFreeVariable,
  ),
  domain_name: { values: text('other.example.com'), isTaken: (value) => isText(value) && isHost(value) },
  customer_id: { values: text('c-1'), isTaken: (value) => isText(value) && /^[\x21-\x7e]{1,64}$/.test(value) },
  blacklist_name: {
    values: fc.oneof(mutated('spam'), hostileText),
    isTaken: (value) =>
      isText(value) && value !== '' && isPlain(value) && !/[/\\]/.test(value) && Array.from(value).length <= 64,
  },
  number: {
    values: text('+380 (44) 123-45.67'),
    isTaken: (value) =>
      isText(value) && value.length <= 128 && /^[0-9+*#A-Za-z]{1,32}$/.test(value.replaceAll(/[ ().-]/g, '')),
  },
  note: {
    values: fc.oneof(text('rude'), fc.constant('x'.repeat(501))),
    isTaken: (value) => isText(value) && value.length <= 500 && isPlain(value),
  },
  from: {
    values: text('pbx@a.example.com'),
    isTaken: (value) => {
      if (!isText(value) || value.length > 254) return false
      const [local = '', host = '', ...more] = value.split('@')
      return more.length === 0 && isLocalPart(local) && isHost(host)
    },
  },
  description: {
    values: fc.oneof(text('mail'), fc.constant('x'.repeat(501))),
    isTaken: (value) => isText(value) && value.length <= 500 && isPlain(value),
  },
  'options.host': {
    values: fc.oneof(privateHost, notText, fc.constantFrom('', '[::1]', '::', 'fe80::1', 'fd00::1', 'LOCALHOST.')),
    isTaken: never,
  },
  'options.port': {
    values: fc.oneof(
      fc.integer({ min: -70_000, max: 140_000 }),
      fc.constantFrom(1, 25, 465, 65_535, 0, 65_536, 22, 53, 3389, 8021),
      fc.double(),
      notText,
      hostileText,
    ),
    isTaken: (value) =>
      Number.isInteger(value) &&
      Number(value) >= 1 &&
      Number(value) <= 65_535 &&
      ![22, 53, 3389, 8021].includes(Number(value)),
  },
  'options.tls.rejectUnauthorized': {
    values: fc.oneof(notText, hostileText, fc.constantFrom('true', 'no', 'false')),
    isTaken: (value) => typeof value === 'boolean',
  },
}
