/** The little XML that the object store speaks: elements without attributes, read by name. */

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** The text of the first element of a name; nothing where there is none. */
export function textOfElement(xml: string, name: string): string | undefined {
  return elements(xml, name)[0]
}

/** What is in each element of a name, in order. */
export function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>([^]*?)</${name}>`, 'g'))].map(([, inner = '']) =>
    inner.includes('<') ? inner : plain(inner),
  )
}

function plain(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,6})|#x([0-9a-fA-F]{1,5})|(\w{2,4}));/g, (whole, decimal, hex, name) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    return entities[String(name)] ?? whole
  })
}

/** Text as it stands in an element. */
export function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
