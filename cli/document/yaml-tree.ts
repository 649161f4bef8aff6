import {
  LineCounter,
  type Node,
  type Pair,
  type Scalar,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  parseDocument,
  visit,
} from 'yaml'
import { DocumentError, type Json } from './model.ts'

/**
 * A value of a document: scalars are the texts that were written, `1000` and `true` without quotes, too; an empty one
 * is `null`.
 */
export type Tree = string | null | readonly Tree[] | { readonly [name: string]: Tree }

/** A document and the positions in it. */
export interface YamlTree {
  readonly tree: Tree
  /** Returns an error that names the file, the position and the path of a value, and its problem. */
  readonly error: (path: readonly PropertyKey[], problem: string) => DocumentError
}

/** The most characters of a document: several times the largest domain that the platform allows without blacklists. */
const maxCharacters = 16 * 1024 * 1024

/** The nodes of maps, for values whose types count. */
const nodes = new WeakMap<object, Node>()

/**
 * Reads YAML. Throws a {@link DocumentError} if the text is not YAML, or has anchors, aliases, or the name `__proto__`.
 */
export function readYaml(text: string, file: string): YamlTree {
  if (text.length > maxCharacters) throw new DocumentError(`${file}: must have at most ${maxCharacters} characters`)
  const lines = new LineCounter()
  const yaml = parseDocument(text, { lineCounter: lines, merge: false, uniqueKeys: true, prettyErrors: false })
  const errorAt = (offset: number, problem: string) => {
    const { line, col } = lines.linePos(offset)
    return new DocumentError(`${file}:${line}:${col}: ${problem}`)
  }
  const [problem] = yaml.errors
  if (problem !== undefined) throw errorAt(problem.pos[0], problem.message)
  visit(yaml, {
    Node(_, node) {
      if (!isAlias(node) && node.anchor === undefined) return
      throw errorAt(startOf(node), 'anchors and aliases (&, *) are not allowed: write the value out')
    },
    Pair(_, { key }) {
      if (!isScalar(key) || key.value === null) throw errorAt(startOf(key), 'a name must be text')
      if (key.value === '__proto__') throw errorAt(startOf(key), 'must not have the name __proto__')
    },
  })
  return {
    tree: treeOf(yaml.contents),
    error(path, problem) {
      const where = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
      return errorAt(positionOf(yaml.contents, path), `${where === '' ? '' : `${where.slice(1)}: `}${problem}`)
    },
  }
}

/** Returns a map of a tree as JSON, with the types that its texts have in YAML. */
export function jsonOf(map: object): Json {
  return (nodes.get(map)?.toJSON() ?? null) as Json
}

function treeOf(node: unknown): Tree {
  if (isSeq(node)) return node.items.map(treeOf)
  if (isScalar(node)) return node.value === null ? null : textOf(node)
  if (!isMap(node)) return null
  const map = Object.fromEntries(node.items.map((pair) => [nameOf(pair), treeOf(pair.value)]))
  nodes.set(map, node)
  return map
}

function textOf({ value, source }: Scalar): string {
  return typeof value === 'string' ? value : (source ?? '')
}

function nameOf({ key }: Pair): string {
  return isScalar(key) ? textOf(key) : ''
}

/** Returns where a value begins; a value with a name at its name. */
function positionOf(node: unknown, path: readonly PropertyKey[]): number {
  let [at, start] = [node, startOf(node)]
  for (const step of path) {
    const pair = isMap(at) ? at.items.find((each) => nameOf(each) === step) : undefined
    at = isSeq(at) ? at.items[Number(step)] : pair?.value
    start = startOf(pair?.key ?? at) || start
  }
  return start
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}
