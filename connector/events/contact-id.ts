/** The engine keeps no more of a contact. */
const maxLength = 1_024

/** A quoted display name may hold anything, angle brackets too. */
const quotedName = /^\s*"(?:[^"\\]|\\.)*"/

const uri = /^(sips?):(?:([^@]*)@)?(\[[^\]]*\]|[^:;?]*)(:\d+)?([^?]*)(.*)$/i

/**
 * Returns the address of a contact, the same for every spelling that RFC 3261 (19.1.4) calls equal, all parameters
 * included. The display name decides nothing: it is there in one event and not in the next. Nor does the engine's own
 * mark.
 */
export function contactId(contact: string): string {
  const rest = contact.replace(quotedName, '')
  const address = (/<([^<>]*)>[^<>]*$/.exec(rest)?.[1] ?? rest).trim().replace(/;fs_nat=yes$/, '')
  const [, scheme, user, host = '', port = '', parameters = '', headers = ''] = uri.exec(address) ?? []
  if (scheme === undefined) return address.slice(0, maxLength)
  const of = user === undefined ? '' : `${plain(user)}@`
  const sorted = plain(parameters).toLowerCase().split(';').slice(1).toSorted()
  const ending = sorted.map((parameter) => `;${parameter}`).join('')
  return `${scheme.toLowerCase()}:${of}${host.toLowerCase()}${port}${ending}${headers}`.slice(0, maxLength)
}

/** Characters that mean themselves may be escaped or not. */
function plain(text: string): string {
  return text.replaceAll(/%[0-9a-f]{2}/gi, (escaped) => {
    const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
    return /[A-Za-z0-9_.!~*'()-]/.test(character) ? character : escaped.toUpperCase()
  })
}
