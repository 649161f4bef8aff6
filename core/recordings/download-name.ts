const maxLength = 128

/** The first half of a character of two code units whose second half was cut off. */
const halfAtEnd = /[\ud800-\udbff]$/

/**
 * Separators of folders, control characters, characters that a reader cannot see or that change the order of others,
 * and U+FFFD, which stands for bytes that are no UTF-8.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what is replaced
const refused = /[/\\\u0000-\u001f\u007f\ufffd\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * Returns the `Content-Disposition` of a recording: `inline` without a name, otherwise an attachment with the name in
 * two forms: in ASCII with `_` for every other character, and percent-encoded. Forbidden characters become `_` and a
 * name is cut at 128 characters, so no name is refused, leads to another folder or ends the header.
 */
export function dispositionOf(fileName: string | undefined): string {
  const whole = fileName?.toWellFormed().replaceAll(refused, '_') ?? ''
  if (whole === '') return 'inline'
  const dotless = /^\.+$/.test(whole) ? whole.replaceAll('.', '_') : whole
  const name = dotless.slice(0, maxLength).replace(halfAtEnd, '')
  const safe = name.replaceAll(/[^A-Za-z0-9._-]/gu, '_')
  return `attachment; filename="${safe}"; filename*=UTF-8''${encoded(name)}`
}

/** By RFC 5987, which has fewer plain characters than a URL. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(/['()*!]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
