import { DomainError, invalidField } from '../../core/errors.ts'

/**
 * Deeper than the body of any route, including callflows nested ten times (41 levels, and the content of their steps).
 * No later step needs to guard its recursion.
 */
const maxDepth = 64

/** Returns the refusal of a body that is not JSON as the contract wants it. */
export function invalidJson(problem: string): DomainError {
  return new DomainError('invalid_json', problem)
}

/**
 * Reads JSON text more strictly than the platform does. Refuses duplicate keys, `__proto__`, text that is not well
 * formed, numbers out of range and nesting beyond 64 (`invalid_json`), and control characters other than tab, line feed
 * and carriage return (`invalid_field`, with the path).
 */
export function parseJson(text: string): unknown {
  const value = readJson(text)
  checkKeys(text)
  checkValues(value, '')
  return value
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidJson('the body is not valid JSON')
  }
}

/** Walks over valid JSON text once. A string followed by a colon is a key of the innermost open object. */
function checkKeys(text: string): void {
  const open: Set<string>[] = []
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?|[{}[\]]/gs
  for (const [found] of text.matchAll(token)) {
    if (found === '{' || found === '[') {
      if (open.push(new Set()) > maxDepth) throw invalidJson(`the body is nested deeper than ${maxDepth} levels`)
    } else if (found === '}' || found === ']') {
      open.pop()
    } else if (found.endsWith(':')) {
      addKey(open.at(-1), JSON.parse(found.slice(0, found.lastIndexOf('"') + 1)))
    }
  }
}

function addKey(keys: Set<string> | undefined, key: string): void {
  if (key === '__proto__') throw invalidJson('the body holds a key that is not allowed')
  if (keys?.has(key)) throw invalidJson('the body holds a key twice')
  keys?.add(key)
}

// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

function checkValues(value: unknown, path: string): void {
  if (typeof value === 'string') checkText(value, path)
  else if (typeof value === 'number' && !Number.isFinite(value)) throw invalidJson('a number is out of range')
  else if (Array.isArray(value)) value.forEach((item, index) => checkValues(item, `${path}[${index}]`))
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      checkText(key, path)
      checkValues(member, path === '' ? key : `${path}.${key}`)
    }
  }
}

function checkText(text: string, path: string): void {
  if (!text.isWellFormed()) throw invalidJson('a text of the body is not well-formed Unicode')
  if (controls.test(text)) throw invalidField(path === '' ? 'body' : path, 'must not contain control characters')
}
