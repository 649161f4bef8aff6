import { refused } from './refusal.ts'

/** Names that are programs to a search engine, or reach into a prototype, at any position. */
const forbidden = /^(?:_?script(?:_.*|ed.*)?|.+_script|runtime_mappings|__proto__|constructor|prototype)$/

/**
 * Refuses a body in which any member has the name of a program or a prototype, even an ignored one. Throws
 * `query_refused`. The body may be of any depth.
 */
export function checkBody(body: object): void {
  const left: { readonly value: object; readonly at: string }[] = [{ value: body, at: '' }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, at } = next
    const isList = Array.isArray(value)
    for (const [name, member] of Object.entries<unknown>(Object(value))) {
      const path = isList ? `${at}[${name}]` : at === '' ? name : `${at}.${name}`
      if (!isList && forbidden.test(name)) throw refused(path, 'programs and names of prototypes are not offered')
      if (typeof member === 'object' && member !== null) left.push({ value: member, at: path })
    }
  }
}
