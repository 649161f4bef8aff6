/**
 * The syntax of single values that callers send: one pattern each, taken from the contract. A value reaches an engine
 * command, a key or a header only after it has matched one of these.
 */
import * as z from 'zod/mini'

const text = (pattern: RegExp, problem: string) => z.string(problem).check(z.regex(pattern, problem))

/** Returns a field of text without control characters, of a limited length. */
export const plainText = (min: number, max: number) =>
  z.string().check(
    z.minLength(min, `must have at least ${min} characters`),
    z.maxLength(max, `must have at most ${max} characters`),
    // oxlint-disable-next-line no-control-regex -- control characters are what is refused
    z.regex(/^[^\u0000-\u001f\u007f]*$/u, 'must not contain control characters'),
  )

/** The id of a request, which goes with what the request causes: in commands of the engine, events and logs. */
export const requestId = text(/^[A-Za-z0-9._-]{1,64}$/, 'must be 1-64 letters, digits or any of . _ -')

/** An account's login. */
export const login = text(/^[A-Za-z0-9._+-]{1,64}$/, 'must be 1-64 letters, digits or any of . _ + -')

/** A login alone or with its domain. */
export const accountName = text(
  /^[A-Za-z0-9._+-]{1,64}(@[A-Za-z0-9.-]{1,253})?$/,
  'must be "<login>" or "<login>@<domain>"',
)

const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

/**
 * Contexts of the engine's own dial plan (engine/conf/dialplan.xml): `public` has the calls that were not
 * authenticated. They cannot be names of domains, since the context of a call is its domain.
 */
const engineContexts: ReadonlySet<string> = new Set(['public', 'global'])

/** A domain's name, lower-cased. */
export const domainName = z.pipe(
  text(hostName, 'must be a host name or an IPv4 address').check(
    z.refine((name) => !engineContexts.has(name.toLowerCase()), 'must not be a context of the engine: public, global'),
  ),
  z.transform((name) => name.toLowerCase()),
)

/** The id of a channel, as its engine spells it; no word of a command, and none that a path takes for a folder. */
export const channelId = text(
  /^[A-Za-z0-9._~@:+-]{1,128}$/,
  'must be 1-128 letters, digits or any of . _ ~ @ : + -',
).check(z.refine((id) => !/^(?:\.{1,2}|all|off|toggle)$/i.test(id), 'must be the id of a channel'))

/** An id that the platform chooses: a UUID in lower case. */
export const uuid = text(
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  'must be a UUID in lower case',
)

/** The id of a channel or call in a path, as core/channels/call-id.ts has it: a UUID in either case is one. */
export const callId = z.pipe(
  channelId,
  z.transform((id) => (uuid.safeParse(id.toLowerCase()).success ? id.toLowerCase() : id)),
)

/** A target that can be dialled: a number, or an account's name. */
export const dialTarget = text(
  /^(?:\+?[0-9*#]{1,32}|[A-Za-z][A-Za-z0-9._-]{0,63})$/,
  'must be a number of up to 32 digits, * and #, with or without a leading +, or an account name',
)

/** A cause of the engine. */
export const hangupCause = text(/^[A-Z0-9_]{1,40}$/, 'must be an engine cause word such as NORMAL_CLEARING')

/** Digits shown to a listener, or the number of a listening leg. */
export const displayDigits = text(/^\+?[0-9*#]{1,32}$/, 'must be 1-32 digits, * or #')

/**
 * A parameter that a phone may be called with. The engine appends it to the phone's address. `maddr` and `transport`,
 * also percent-encoded, and a `Route` after `?` would send the call elsewhere. Other names that SIP or the engine reads
 * are refused with them.
 */
const addressParameter =
  /^(?!(?:maddr|transport|tport|ttl|method|user|lr|comp|received|rport)(?:=|$)|fs_)[a-z0-9._-]+(?:=[a-z0-9._~+-]*)?$/i
const ofAddress = 'sip_invite_params='

/** `name=value` of the header that makes a phone answer by itself. */
export const autoAnswer = text(
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  /^(?:sip_auto_answer|sip_h_Call-Info|sip_h_Alert-Info|sip_invite_params)=(?!.*:_:)[^\u0000-\u001f\u007f{}[\],'"\\$]{0,128}$/u,
  'must be sip_auto_answer, sip_h_Call-Info, sip_h_Alert-Info or sip_invite_params, "=", and up to 128 characters without {}[],\'"\\$ and :_:',
).check(
  z.refine(
    (given) =>
      !given.startsWith(ofAddress) ||
      given
        .slice(ofAddress.length)
        .split(';')
        .every((parameter) => addressParameter.test(parameter)),
    'must give sip_invite_params parameters such as intercom=true;answer-after=0, and none that steers where a call goes',
  ),
)

/** The name and the value of a setting that are sent separately; see {@link assignment}. */
export const settingName = text(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1-64 letters, digits, _ or -')
export const settingValue = text(
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  /^[^\u0000-\u001f\u007f[\]{}]{0,1024}$/u,
  'must be up to 1024 characters without control characters and []{}',
)

/** `name=value`; the name's and value's own rules are those of the resource that holds it. */
export const assignment = text(
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  /^[A-Za-z0-9_-]{1,64}=[^\u0000-\u001f\u007f[\]{}]{0,1024}$/u,
  'must be "name=value": a name of letters, digits, _ and -, a value of up to 1024 characters without control characters and []{}',
)

/** Up to a hundred {@link assignment}s. */
export const assignments = z
  .array(assignment, 'must be a list of name=value, such as ["timezone=Europe/Berlin"]')
  .check(z.maxLength(100, 'must have at most 100 items'))

/** An account's password. */
export const password = plainText(1, 128)

/** The identifier of a customer's license. */
export const customerId = text(/^[\x21-\x7e]{1,64}$/, 'must be 1-64 visible characters')

/** The name of a blacklist. */
export const blacklistName = text(
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  /^[^/\\\u0000-\u001f\u007f]{1,64}$/u,
  'must be 1-64 characters without /, \\ and control characters',
)

/** A number or a word of a blacklist, without the punctuation that people write between digits. */
export const blacklistNumber = z.pipe(
  z.pipe(
    z.string('must be text').check(z.maxLength(128, 'must have at most 128 characters')),
    z.transform((number) => number.replaceAll(/[ ().-]/g, '')),
  ),
  text(/^[0-9+*#A-Za-z]{1,32}$/, 'must be 1-32 digits, letters, +, * or #; spaces, hyphens, dots and () are left out'),
)

/** The name of a custom role. */
export const roleName = text(/^[a-z][a-z0-9_-]{1,31}$/, 'must be a small letter and 1-31 small letters, digits, _ or -')

/** Epoch milliseconds. */
export const epochMs = z.int().check(z.minimum(0))

/** One mail address as mail itself carries it, without a name around it: nothing in it can begin another header. */
export const mailAddress = text(
  /^(?=.{3,254}$)(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/,
  'must be one mail address such as pbx@example.com',
)

/** The name of a gateway in its domain. */
export const gatewayName = text(
  /^[a-z][a-z0-9_-]{0,63}$/,
  'must be a small letter and up to 63 small letters, digits, _ or -',
)

/** A host of another SIP service. */
export const hostAddress = text(hostName, 'must be a host name or an IPv4 address')

/** A {@link hostAddress}, with a port or without one. */
export const hostAndPort = z.string('must be a host name or an IPv4 address, with :port or without').check(
  z.refine((value) => hostName.test(value.replace(/:\d{1,5}$/, '')), {
    error: 'must be a host name or an IPv4 address, with :port or without',
  }),
)

/** The password of a gateway: the engine reads it from XML, expands `${`, and sends it to the gateway alone. */
export const gatewayPassword = text(
  /^(?!.*\$\{)(?!.*[xX]-[pP][rR][eE]-[pP][rR][oO][cC][eE][sS][sS])[!#-;=?-~]{1,128}$/,
  'must be 1-128 visible ASCII characters without "${", double quotes, "<", ">" and "x-pre-process"',
)

/** A network in CIDR notation; core/gateways judges it. */
export const cidr = text(/^[0-9A-Fa-f.:]{2,45}\/\d{1,3}$/, 'must be a network such as 192.0.2.0/24')

/** The caller that a called party sees through a gateway. */
export const callerIdRule = text(
  /^(?:keep|account|number:\+?[0-9]{1,32})$/,
  'must be "keep", "account" or "number:" and digits',
)
