import type * as z from 'zod'
import type { DocumentError, DomainDocument } from './model.ts'
import { documentSchema } from './schema.ts'
import { readYaml } from './yaml-tree.ts'

/**
 * Reads a document. Throws a {@link DocumentError} with file, line and column for everything that is not of the format.
 * The rules of values are those of the platform, which checks them when the document is applied.
 */
export function parseDocument(text: string, file: string): DomainDocument {
  const { tree, error } = readYaml(text, file)
  const { data, error: failure } = documentSchema.safeParse(tree ?? {}, { error: problemOf })
  if (data === undefined) throw firstProblem(failure.issues, error)
  const { callplane: _version, routes, ...parts } = data
  const document = { ...parts, routes: routes?.default, publicRoutes: routes?.public }
  // As JSON it has no members that are `undefined`: a part that is left out is not there.
  return JSON.parse(JSON.stringify(document)) as DomainDocument
}

/** The words for a value of another kind than the format has there. */
const kindProblems: Readonly<Record<string, string>> = {
  string: 'must be text',
  array: 'must be a list',
  object: 'must be a map of names',
  record: 'must be a map of names',
}

function problemOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') return issue.input === undefined ? missing : kindProblems[issue.expected]
  if (issue.code === 'unrecognized_keys' && issue.inst !== undefined && 'shape' in issue.inst)
    return `is unknown here; known are ${Object.keys(Object(issue.inst.shape)).join(', ')}`
  return undefined
}

/** The problem of a member that must be there, and belongs to the value that has none. */
const missing = 'must be there'

/** Returns the error of the first problem: an unknown name explains the others. */
function firstProblem(
  issues: readonly z.core.$ZodIssue[],
  error: (path: readonly PropertyKey[], problem: string) => DocumentError,
): DocumentError {
  const unknown = issues.find((issue) => issue.code === 'unrecognized_keys')
  if (unknown !== undefined) return error([...unknown.path, unknown.keys[0] ?? ''], unknown.message)
  const { path = [], message = '' } = issues[0] ?? {}
  const name = String(path.at(-1))
  if (message !== missing) return error(path, message)
  return error(path.slice(0, -1), `must have ${/^[aeio]/.test(name) ? 'an' : 'a'} ${name}`)
}
