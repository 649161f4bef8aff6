import { isJsonObject } from '../default-routes/json.ts'
import { type Assignment, StepProblem } from './engine-action.ts'

/** Reads `name=value`, a list of them, or an object of values. The closed lists have checked names and values. */
export function readAssignments(argument: unknown): Assignment[] {
  if (typeof argument === 'string') return [readText(argument)]
  if (Array.isArray(argument)) return argument.flatMap(readAssignments)
  if (!isJsonObject(argument)) throw new StepProblem('must be name=value, a list of them, or an object')
  return Object.entries(argument).flatMap(([name, member]) =>
    (Array.isArray(member) ? member : [member]).map((value: unknown) => readText(`${name}=${textOf(value)}`)),
  )
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new StepProblem('must have values that are text, numbers, true or false')
}

function readText(text: string): Assignment {
  const [, scope = '', rest = text] = /^(all:|nolocal:)?(.*)$/s.exec(text) ?? []
  const equals = rest.indexOf('=')
  const name = equals < 0 ? rest : rest.slice(0, equals)
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw new StepProblem('must name variables of 1-64 letters, digits, _ and -')
  const legs = scope === 'all:' ? 'all' : scope === 'nolocal:' ? 'called' : 'own'
  return { legs, name, value: equals < 0 ? '' : rest.slice(equals + 1) }
}
