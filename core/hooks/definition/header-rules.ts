import type { FieldProblem } from '../../errors.ts'
import { hasControls } from '../../requests/safe-text.ts'

const maxHeaders = 50
const maxValueLength = 2048

/** A header name of RFC 9110, section 5.1. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/

/**
 * Names that belong to the connection, to the message's framing or to the signature: setting one could make two
 * parties see different messages, or forge a signature.
 */
const refusedNames =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|proxy-.*|te|trailer|upgrade|expect|http2-settings|webhook-.*)$/

function nameProblem(name: string): string | undefined {
  if (!token.test(name)) return 'must be a header name'
  return refusedNames.test(name.toLowerCase()) ? 'is set by the service' : undefined
}

function valueProblem(value: string): string | undefined {
  if (value.length > maxValueLength) return `must have at most ${maxValueLength} characters`
  if (hasControls(value)) return 'must not contain control characters'
  // Values that are inserted later are ASCII by then.
  return /[^\u0020-\u007e]/.test(value) ? 'must be ASCII: write other letters into the body' : undefined
}

/** Returns every problem of a hook's headers; `field` is their place in the request. */
export function headerProblems(headers: Readonly<Record<string, string>>, field: string): FieldProblem[] {
  const problems: FieldProblem[] = []
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    const twice = seen.has(name.toLowerCase()) ? 'differs from another name in case only' : undefined
    const problem = nameProblem(name) ?? valueProblem(value) ?? twice
    seen.add(name.toLowerCase())
    if (problem !== undefined) problems.push({ field: `${field}.${name}`, problem })
  }
  if (seen.size > maxHeaders) problems.push({ field, problem: `must have at most ${maxHeaders} names` })
  return problems
}
