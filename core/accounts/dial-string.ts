/** A secret global variable of the engine, random at each start. */
const markVariable = 'contact_mark'

/** A part of a contact, as `url_encode` writes it. `|` is escaped, since it separates the arguments of `regex`. */
const user = String.raw`(?:[A-Za-z0-9._-]\|%2B)+`
const host = String.raw`(?:[A-Za-z0-9.-]+\|%5B(?:[0-9A-Fa-f.]\|%3A)+%5D)`
const value = String.raw`(?:[A-Za-z0-9._~-]\|%(?:2B\|3A\|3D\|40))*+`
/** Parameters that would send the call to another address than the one that the REGISTER came from. */
const steering = String.raw`(?i:maddr\|received\|fs_[a-z]*)`
const parameter = `%3B(?!${steering}(?:[%,#]))[A-Za-z0-9.-]+(?:%3D${value})?`
const mark = `%5Bsvc_mark%3D(?=[0-9a-f]{32},)\${${markVariable}},svc_mark%3D0%5D`
const phone = `${mark}sofia/[a-z-]+/sips?%3A${user}%40${host}(?:%3A[0-9]+)?(?:${parameter})*%3Bfs_nat%3Dyes`
const phones = String.raw`^(?:((?<phone>${phone})(?:,(?&phone))*)#.*\|[^#]*#(.*))$`

/**
 * Returns the dial string of every account, which the engine fills in at each call. `registered` is the template of the user that
 * the account's phones are registered as. All of them ring if the contact of each has the closed form, else none.
 *
 * A contact is a stranger's text. The engine joins the contacts by commas, which a contact may hold itself, so the engine writes
 * {@link markVariable} before each: only it can begin one. The list is percent-encoded and compared as a whole, and nothing of it
 * reaches the dial string unless it matches. Without the variable nothing does. The second `svc_mark` hides the first from the call.
 *
 * Browsers name `transport=ws` also when they are connected by WSS (RFC 7118), and the engine keeps that name. It would look for a
 * connection by WS then, so the name is replaced: engines of the kit take no connections without TLS.
 */
export function dialStringOf(registered: string): string {
  const listed = `\${sofia_contact(*/${registered}@\${dialed_domain}/[svc_mark=\${${markVariable}},svc_mark=0])}`
  const encoded = `\${replace(\${url_encode(${listed})}|transport%3Dws%3B|transport%3Dwss%3B)}`
  const checked = `\${regex(${encoded}#error/user_not_registered|${phones}|%1%3|n)}`
  return (
    '{^^:sip_invite_domain=${dialed_domain}:presence_id=${dialed_user}@${dialed_domain}:sip_sticky_contact=true}' +
    `\${url_decode(${checked})}`
  )
}
