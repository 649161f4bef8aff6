import { type LineCounter, type Node, isMap, isScalar, isSeq } from 'yaml'
import { DocumentError, type Json } from './model.ts'

/** The file that a place is in. */
export interface Source {
  readonly name: string
  readonly lines: LineCounter
}

/** One value of a document and its position, so that every error names both. */
export class Place {
  readonly #node: Node | null
  readonly #source: Source
  readonly #start: number
  readonly path: string

  /** `start` is the position that errors name: by default that of the value. */
  constructor(node: Node | null, source: Source, path: string, start = node?.range?.[0] ?? 0) {
    this.#node = node
    this.#source = source
    this.#start = start
    this.path = path
  }

  /** Returns an error that names the position, the path and the problem. */
  error(problem: string): DocumentError {
    const { line, col } = this.#source.lines.linePos(this.#start)
    const what = this.path === '' ? '' : `${this.path}: `
    return new DocumentError(`${this.#source.name}:${line}:${col}: ${what}${problem}`)
  }

  /** Whether the value is empty. */
  get isNull(): boolean {
    return this.#node === null || (isScalar(this.#node) && this.#node.value === null)
  }

  /** Whether the value is a list. */
  get isList(): boolean {
    return isSeq(this.#node)
  }

  /** Whether the value has names. */
  get isMap(): boolean {
    return isMap(this.#node)
  }

  /** Returns the text as it is written: `1000`, `+49` and `true` without quotes are texts, too. */
  text(): string {
    const node = this.#node
    if (!isScalar(node) || node.value === null) throw this.error('must be text')
    return typeof node.value === 'string' ? node.value : (node.source ?? '')
  }

  /** Returns a whole number. */
  wholeNumber(): number {
    const value = isScalar(this.#node) ? this.#node.value : undefined
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw this.error('must be a whole number')
    return value
  }

  /** Returns `true` or `false`. */
  flag(): boolean {
    const value = isScalar(this.#node) ? this.#node.value : undefined
    if (typeof value !== 'boolean') throw this.error('must be true or false')
    return value
  }

  /** Returns the items of a list; of an empty value none. */
  items(): Place[] {
    if (this.isNull) return []
    if (!isSeq(this.#node)) throw this.error('must be a list')
    return this.#node.items.map((item, index) => new Place(nodeOf(item), this.#source, `${this.path}[${index}]`))
  }

  /** Returns the named values of a map; of an empty value none. */
  entries(): [string, Place][] {
    if (this.isNull) return []
    if (!isMap(this.#node)) throw this.error('must be a map of names')
    return this.#node.items.map((pair) => {
      const key = nodeOf(pair.key)
      const name = new Place(key, this.#source, this.path).text()
      if (name === '__proto__') throw this.error('must not have the name __proto__')
      return [name, new Place(nodeOf(pair.value), this.#source, this.#pathOf(name), key?.range?.[0])]
    })
  }

  /** Returns the named values of a map that may have only these names. */
  members<N extends string>(names: readonly N[]): { readonly [P in N]?: Place } {
    const known: readonly string[] = names
    const entries = this.entries()
    const unknown = entries.find(([name]) => !known.includes(name))
    if (unknown !== undefined) throw unknown[1].error(`is unknown here; known are ${names.join(', ')}`)
    return Object.fromEntries(entries) as { readonly [P in N]?: Place }
  }

  /** Returns the value as JSON. */
  json(): Json {
    return (this.#node?.toJSON() ?? null) as Json
  }

  #pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}.${name}`
  }
}

function nodeOf(value: unknown): Node | null {
  return typeof value === 'object' && value !== null && 'range' in value ? (value as Node) : null
}
