/** The accepted values of a name, and their description in a refusal. */
export interface ValueRule {
  /** Completes "must be …". */
  readonly words: string
  /** `domain` is the lower-cased domain whose setting it is. */
  readonly accepts: (value: string, domain: string) => boolean
}

const matching = (pattern: RegExp, words: string): ValueRule => ({ words, accepts: (value) => pattern.test(value) })

/** `true` or `false`. */
export const trueOrFalse = matching(/^(?:true|false)$/, 'true or false')

/** Nine digits fit the engine's 32-bit numbers. */
export const digits = matching(/^[0-9]{1,9}$/, '1-9 digits')

/** A country's code, or what is dialled before a number. */
export const prefixDigits = matching(/^[0-9]{1,3}$/, '1-3 digits')

/** What is dialled before a number of the country itself. */
export const nationalPrefix = matching(/^(?:[0-9]{1,3}|none)$/, '1-3 digits, or none where the country has no prefix')

/** A PIN that a phone can type. */
export const pin = matching(/^[0-9]{4,16}$/, '4-16 digits')

/** One mail address. The pattern is stricter than mail itself: the engine hands the address to a mail program. */
export const mailbox = matching(
  /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}@[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/,
  'one mail address of letters, digits and . _ + -',
)

/** The kind of audio that voicemail records. */
export const audioEnding = matching(/^(?:wav|mp3)$/, 'wav or mp3')

/** How a call center reaches an agent. */
export const agentType = matching(/^(?:callback|uuid-standby)$/, 'callback or uuid-standby')

/** The phones of an account of the same domain. */
export const agentContact: ValueRule = {
  words: 'user/<login>, with @<your domain> or without, of an account of the domain',
  accepts: (value, domain) => /^user\/[A-Za-z0-9._+-]{1,64}@([a-z0-9.-]{1,253})$/.exec(value)?.[1] === domain,
}

/** A language with or without its region. */
export const language = matching(/^[a-z]{2}(?:-[A-Za-z]{2,4})?$/, 'a language such as en or pt-BR')

/** A name shown to the other side of a call. */
export const shownName = matching(
  /^[\p{L}\p{M}\p{N} .,'_+()&/-]{0,64}$/u,
  "up to 64 letters, digits, spaces and any of . , ' _ + ( ) & / -",
)

/** A number shown to the other side of a call. */
export const shownNumber = matching(/^[0-9+*#]{1,32}$/, '1-32 digits, +, * and #')

/** Names of groups, separated by commas. */
export const groups = matching(/^[A-Za-z0-9_,-]{1,256}$/, '1-256 letters, digits, _, - and commas')

/** A time zone of the IANA database. */
export const timeZone: ValueRule = { words: 'a time zone such as Europe/Kyiv', accepts: isTimeZone }

/** The codecs that an endpoint of `bridge` offers. */
export const codecs = matching(/^[A-Za-z0-9@.,]{1,64}$/, '1-64 letters, digits, @, dots and commas')

/** The name of a blacklist, by the rule of blacklists. */
export const blacklistName = matching(
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  /^[^/\\\u0000-\u001f\u007f]{1,64}$/u,
  '1-64 characters without /, \\ and control characters',
)

/**
 * Values of names for the client's own use. The engine expands values that begin with `ARRAY::` or `^^`, and treats the
 * text after `:_:` in a dial string as another dial string.
 */
export const ownText: ValueRule = {
  words:
    'up to 256 letters, digits, spaces and any of . _ + ( ) & / : @ = ; % ? # -, not beginning with "ARRAY::" or "^^" and without ":_:"',
  accepts: (value) => /^(?!ARRAY::|\^\^|.*:_:)[\p{L}\p{M}\p{N} ._+()&/:@=;%?#-]{0,256}$/u.test(value),
}

/** Every value that the syntax of settings allows. */
export const anyText: ValueRule = { words: 'text', accepts: () => true }

/**
 * Returns whether a text names a time zone, in the spelling of the zone database. The engine finds zones by file name,
 * so `europe/kyiv` and offsets such as `+03:00`, which the runtime would accept too, are refused.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+/-]{1,63}$/.test(name)) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    return timeZone.toLowerCase() !== name.toLowerCase() || timeZone === name
  } catch {
    return false
  }
}
