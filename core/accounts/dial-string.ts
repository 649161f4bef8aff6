/** A secret global variable of the engine, random at each start. */
const markVariable = 'contact_mark'

/**
 * Phones of an account that ring at once: the first ones of the engine's list. Contacts that do not match do not count.
 */
const mostPhones = 20

/** A part of a contact, as `url_encode` writes it. `|` is escaped, since it separates the arguments of `regex`. */
const user = String.raw`(?:[A-Za-z0-9._-]\|%2B)++`
const host = String.raw`(?:[A-Za-z0-9.-]++\|%5B(?:[0-9A-Fa-f.]\|%3A)++%5D)`
const value = String.raw`(?:[A-Za-z0-9._~-]\|%(?:2B\|3A\|3D\|40))*+`
/** Parameters that would send the call to another address than the one that the REGISTER came from. */
const steering = String.raw`(?:[Mm][Aa][Dd][Dd][Rr]\|[Rr][Ee][Cc][Ee][Ii][Vv][Ee][Dd]\|[Ff][Ss]_[A-Za-z]*+)`
const parameter = `%3B(?!${steering}[%,])[A-Za-z0-9.-]++(?:%3D${value})?+`
const source = '%3Bfs_nat%3Dyes'
const phone = `sofia/[a-z-]++/sips?+%3A${user}%40${host}(?:%3A[0-9]++)?+(?:${parameter})*+${source},`

/** A contact that does not match: everything from a mark to the next one, or to the end. */
const other = '(?&m)(?!(?&p))(?:[^,#]++|,(?!(?&m)|#))*+,'.replaceAll('|', String.raw`\|`)
const definitions = `(?(DEFINE)(?<m>(?=[0-9a-f]{32}s)\${${markVariable}})(?<p>${phone}(?=(?&m)\\|#))(?<o>${other}))`

/** Skips the contacts before a phone and captures it. Possessive throughout: no text is read in a second way. */
const next = '(?&o)*+(?:(?&m)((?&p)))?+'
const phones = `^${next.repeat(mostPhones)}[^#]*+#(?(1)\\|(.*+))${definitions}`
const found = Array.from({ length: mostPhones + 1 }, (_, at) => `%${at + 1}`).join('')

/** {@link phone} as a pattern of JavaScript, which has no possessive quantifiers. */
const wholePhone = new RegExp(
  `^${asWritten(phone)
    .replaceAll('\\|', '|')
    .replaceAll(/([+*?])\+/g, '$1')}$`,
)

/**
 * Returns whether an engine of the kit rings the contact of a registration: `"name" <address>`, or the address alone.
 * It must be what {@link asWritten} dials, without quotes, which the engine would take away.
 */
export function isRung(contact: string): boolean {
  const [, address] = /^(?:"[^"\\]*" <([^<>']*)>|[^<>']*)$/.exec(contact) ?? []
  const encoded = (address ?? contact).replaceAll(/[\r\n #%&+:;<=>?@[\\\]^`{|}"]/g, (character) =>
    encodeURIComponent(character),
  )
  return wholePhone.test(`sofia/phones/${encoded},`)
}

/** Returns a dial string that also rings contacts which the engine has not moved to the source of their REGISTER. */
export function asWritten(dialString: string): string {
  return dialString.replace(source, `(?:${source})?+`)
}

/**
 * Returns the dial string of every account, which the engine fills in at each call. `registered` is the template of the
 * user that the account's phones are registered as. Each contact of the closed form rings, up to {@link mostPhones};
 * any other is skipped.
 *
 * A contact is a stranger's text. The engine joins the contacts by commas, which a contact may hold itself, so the
 * engine writes {@link markVariable} before each: only it can begin one. The list is percent-encoded and read from mark
 * to mark, and nothing but whole contacts that match reaches the dial string. Without the variable nothing does.
 *
 * Browsers name `transport=ws` also when they are connected by WSS (RFC 7118), and the engine keeps that name. It would
 * look for a connection by WS then, so the name is replaced: engines of the kit take no connections without TLS.
 */
export function dialStringOf(registered: string): string {
  const listed = `\${sofia_contact(*/${registered}@\${dialed_domain}/\${${markVariable}})}`
  const encoded = `\${replace(\${url_encode(${listed})}|transport%3Dws%3B|transport%3Dwss%3B)}`
  const checked = `\${regex(${encoded},#error/user_not_registered|${phones}|${found}|n)}`
  return (
    '{^^:sip_invite_domain=${dialed_domain}:presence_id=${dialed_user}@${dialed_domain}:sip_sticky_contact=true}' +
    `\${url_decode(${checked})}`
  )
}

/**
 * Engines that keep directory answers register phones under the full names of their accounts: `1000=acme.example.com`
 * instead of `1000`. An engine takes the host of a registration from the phone's To header and compares it with
 * nothing, so under its login alone a phone could be registered as the account of that name in any domain. No login
 * contains the separator.
 */
const separator = '='

/** Returns the name that an account's phones are registered under. */
export function registeredName({ login, domain }: { readonly login: string; readonly domain: string }): string {
  return `${login}${separator}${domain}`
}

/** Returns the login in the name that a phone is registered under, which may be a plain login. */
export function loginOfRegistration(name: string): string {
  return name.split(separator, 1)[0] ?? ''
}

/** How the engine reaches phones that are registered under full names. */
export const fullNameDialString = dialStringOf('${dialed_user}=${dialed_domain}')
