import * as z from 'zod/mini'
import type { Rule } from './rule.ts'

/** A process that reads variables: the functions, the connector, or `npm start`. */
export type Reader = 'functions' | 'connector' | 'laptop'

interface Difference {
  readonly fallback?: string
  /** The default in the documented tables, if {@link Setting.fallback} does not show it. */
  readonly unset?: string
}

/** The one declaration of a setting. */
export interface Setting<T = unknown> {
  /** A function, so that a bundle holds only the rules that its function reads. */
  readonly rule: () => Rule<T>
  /** The text that applies when none is given; without a fallback the setting is required. */
  readonly fallback?: string
  /** The default in the documented tables, if `fallback` does not show it. */
  readonly unset?: string
  /** One or two sentences for all documented tables; words in backquotes are code. */
  readonly meaning: string
  /** The differences in a deployment, which reads the setting from the file of its stage. */
  readonly deployment?: Difference & { readonly rule?: () => Rule<unknown> }
  /** The differences on a laptop (`npm start`). */
  readonly laptop?: Difference
}

/** A setting that processes read from their environment. */
export interface Variable<T = unknown> extends Setting<T> {
  readonly variable: string
  readonly readers: readonly Reader[]
  /** The name under which the file of a stage has it. */
  readonly context?: string
}

/** A setting that a deployment reads from the file of its stage. */
export interface ContextValue<T = unknown> extends Setting<T> {
  readonly context: string
}

/** Environment variables by name. */
export type Variables = Readonly<Record<string, string | undefined>>

/**
 * Reads a setting from the environment. An empty text counts as absent, unless the rule accepts it. Throws an error
 * that names the variable and the expected form, never its value.
 */
export function readVariable<T>(setting: Variable<T>, env: Variables, fallback = setting.fallback): T {
  return readText(setting.rule(), textOf(setting, env, fallback), setting.variable)
}

/** Reads a setting as `npm start` does; see {@link readVariable}. */
export function readOnLaptop<T>(setting: Variable<T>, env: Variables): T {
  return readVariable(setting, env, setting.laptop?.fallback ?? setting.fallback)
}

/** Checks a setting as {@link readOnLaptop} does and returns its text, for another process to read. */
export function checkOnLaptop(setting: Variable, env: Variables): string {
  readOnLaptop(setting, env)
  return textOf(setting, env, setting.laptop?.fallback ?? setting.fallback)
}

function textOf({ variable, rule }: Variable, env: Variables, fallback: string | undefined): string {
  const given = env[variable]
  if (given !== undefined && (given !== '' || z.safeParse(rule().schema, '').success)) return given
  if (fallback === undefined) throw new Error(`${variable} is not set: it must be ${rule().words}`)
  return fallback
}

/** Reads text by a rule. Throws an error that names the setting and the expected form, never the text. */
export function readText<T>(rule: Rule<T>, text: string, name: string): T {
  const result = z.safeParse(rule.schema, text)
  if (result.success) return result.data
  const problem = result.error.issues.find(({ code }) => code === 'custom')?.message
  throw new Error(`${name} ${problem ?? `must be ${rule.words}`}`)
}
