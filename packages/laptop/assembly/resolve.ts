import { isRecord } from './record.ts'

/** The names that intrinsic functions look up. Every look-up throws when the name is unknown. */
export interface Scope {
  ref(name: string): unknown
  attribute(logicalId: string, attribute: string): unknown
  exported(name: string): unknown
  stackOutput(stackName: string, output: string): unknown
  condition(name: string): boolean
  mapped(map: string, key: string, name: string): unknown
}

/** The result of `{Ref: "AWS::NoValue"}`; properties with it are left out. */
export const noValue: unique symbol = Symbol('AWS::NoValue')

/**
 * Returns a template's value with every intrinsic function replaced by its result. Throws an error that names an
 * unsupported function.
 */
export function resolve(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, scope)).filter((item) => item !== noValue)
  if (!isRecord(value)) return value
  const [first, ...others] = Object.entries(value)
  if (first !== undefined && others.length === 0) {
    const [name, argument] = first
    if (name === 'Ref') return scope.ref(textOf(argument))
    if (name === 'Condition' && typeof argument === 'string') return scope.condition(argument)
    if (name.startsWith('Fn::')) return callIntrinsic(name, argument, scope)
  }
  const entries = Object.entries(value).map(([key, item]) => [key, resolve(item, scope)] as const)
  return Object.fromEntries(entries.filter(([, item]) => item !== noValue))
}

type Intrinsic = (argument: unknown, scope: Scope) => unknown

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  'Fn::GetAtt': (argument, scope) => {
    const [logicalId, ...attribute] = typeof argument === 'string' ? argument.split('.') : listOf(argument).map(textOf)
    return scope.attribute(textOf(logicalId), attribute.join('.'))
  },
  'Fn::Sub': (argument, scope) => {
    const [pattern, variables] = Array.isArray(argument) ? argument : [argument, {}]
    return substitute(textOf(pattern), isRecord(variables) ? variables : {}, scope)
  },
  'Fn::Join': (argument, scope) => {
    const [separator, parts] = listOf(argument)
    return listOf(resolve(parts, scope)).map(textOf).join(textOf(separator))
  },
  'Fn::Split': (argument, scope) => {
    const [separator, source] = listOf(argument)
    return textOf(resolve(source, scope)).split(textOf(separator))
  },
  'Fn::Select': (argument, scope) => {
    const [index, list] = listOf(resolve(argument, scope))
    return listOf(list)[Number(index)]
  },
  'Fn::ImportValue': (argument, scope) => scope.exported(textOf(resolve(argument, scope))),
  'Fn::GetStackOutput': (argument, scope) => {
    const { StackName, OutputName } = fieldsOf(resolve(argument, scope))
    return scope.stackOutput(textOf(StackName), textOf(OutputName))
  },
  'Fn::If': (argument, scope) => {
    const [condition, yes, no] = listOf(argument)
    return resolve(scope.condition(textOf(condition)) ? yes : no, scope)
  },
  'Fn::Equals': (argument, scope) => {
    const [left, right] = listOf(resolve(argument, scope))
    return textOf(left) === textOf(right)
  },
  'Fn::Not': (argument, scope) => listOf(resolve(argument, scope))[0] !== true,
  'Fn::And': (argument, scope) => listOf(resolve(argument, scope)).every((item) => item === true),
  'Fn::Or': (argument, scope) => listOf(resolve(argument, scope)).includes(true),
  'Fn::FindInMap': (argument, scope) => {
    const [map, key, name] = listOf(resolve(argument, scope)).map(textOf)
    return scope.mapped(map ?? '', key ?? '', name ?? '')
  },
  'Fn::Base64': (argument, scope) => Buffer.from(textOf(resolve(argument, scope))).toString('base64'),
  'Fn::GetAZs': (_argument, scope) => ['a', 'b', 'c'].map((zone) => `${textOf(scope.ref('AWS::Region'))}${zone}`),
}

function callIntrinsic(name: string, argument: unknown, scope: Scope): unknown {
  const intrinsic = intrinsics[name]
  if (intrinsic === undefined) throw new Error(`the template uses ${name}, which the local platform does not know`)
  return intrinsic(argument, scope)
}

/** `${!Literal}` stays, `${Name}` is a variable or a `Ref`, `${Name.Attribute}` a `Fn::GetAtt`. */
function substitute(pattern: string, variables: Readonly<Record<string, unknown>>, scope: Scope): string {
  return pattern.replaceAll(/\$\{(!?)([^}]+)\}/g, (_match, literal: string, name: string) => {
    if (literal === '!') return `\${${name}}`
    if (Object.hasOwn(variables, name)) return textOf(resolve(variables[name], scope))
    const [logicalId, ...attribute] = name.split('.')
    return textOf(attribute.length === 0 ? scope.ref(name) : scope.attribute(logicalId ?? '', attribute.join('.')))
  })
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`the template has ${JSON.stringify(value)} where a list belongs`)
  return value
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new Error(`the template has ${JSON.stringify(value)} where an object belongs`)
  return value
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Error(`the template has ${JSON.stringify(value)} where text belongs`)
}
