import * as z from 'zod/mini'

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

/**
 * The schema that checks and reads a setting's text, and the words for what it takes, to be read after "must be". A
 * problem that the schema reports with code `custom` is read after the setting's name instead.
 */
export interface Rule<T> {
  readonly words: string
  readonly schema: z.ZodMiniType<T, string>
}

/** Returns a rule that takes text of this form. */
export function matching(form: RegExp, words: string): Rule<string> {
  return { words, schema: z.string().check(z.regex(form)) }
}

/** Returns a rule that takes a whole number within limits, both included. */
export function wholeNumber(least: number, most: number): Rule<number> {
  const digits = z.string().check(z.regex(/^\d{1,15}$/))
  const within = z.number().check(z.gte(least), z.lte(most))
  return {
    words: `a whole number from ${least} to ${most}`,
    schema: z.pipe(z.pipe(digits, z.transform(Number)), within),
  }
}

/** Returns a rule that takes one of these words. */
export function oneOf<const T extends string>(...values: readonly T[]): Rule<T> {
  const last = values.at(-1) ?? ''
  return { words: `${values.slice(0, -1).join(', ')} or ${last}`, schema: z.pipe(z.string(), z.enum(values)) }
}

/** Returns a rule that takes `on` and `off`, and reads them as a boolean. */
export function onOrOff(): Rule<boolean> {
  const { words, schema } = oneOf('on', 'off')
  return {
    words,
    schema: z.pipe(
      schema,
      z.transform((text) => text === 'on'),
    ),
  }
}

/** Returns a rule that accepts the values of another, and the empty text. */
export function optional<T>({ words, schema }: Rule<T>): Rule<T | ''> {
  return { words: `${words}, or empty`, schema: z.union([z.literal(''), schema]) }
}

/** Returns a rule that accepts values separated by commas, and the empty list. */
export function listOf<T>({ words, schema }: Rule<T>): Rule<T[]> {
  return {
    words: `a comma-separated list, each ${words}`,
    schema: z.pipe(z.pipe(z.string(), z.transform(partsOf)), z.array(schema)),
  }
}

/** Returns a rule whose value `read` makes. Its errors say what is wrong, to be read after the setting's name. */
export function readBy<T>(read: (text: string) => T, words: string): Rule<T> {
  const schema = z.transform((text: string, { issues }): T => {
    try {
      return read(text)
    } catch (error) {
      // The text may hold a password, so the issue must not contain it.
      issues.push({ code: 'custom', input: undefined, message: error instanceof Error ? error.message : words })
      return z.NEVER
    }
  })
  return { words, schema: z.pipe(z.string(), schema) }
}

/** Returns what a text says as JSON; nothing when it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns a rule that takes any text that is not empty. */
export function anyText(): Rule<string> {
  return { words: 'some text', schema: z.string().check(z.minLength(1)) }
}

/** Returns a rule that takes an IPv4 network in CIDR form. */
export function ipv4Network(): Rule<string> {
  return { words: 'a network such as 10.0.0.0/16', schema: z.cidrv4() }
}

/** Returns a rule that takes an IPv4 or IPv6 network in CIDR form. */
export function network(): Rule<string> {
  return { words: 'a network such as 10.0.0.0/16 or fd00::/8', schema: z.union([z.cidrv4(), z.cidrv6()]) }
}

/** Returns a rule that takes a host name, an address, or a network in CIDR form. */
export function hostOrNetwork(): Rule<string> {
  const host = z.string().check(z.regex(/^(?:[A-Za-z0-9.-]{1,253}|[0-9A-Fa-f:.]{2,45})$/))
  return { words: 'a host or a network such as 10.0.0.0/16', schema: z.union([host, z.cidrv4(), z.cidrv6()]) }
}

/** Returns a rule that takes an absolute path of a folder other than `/`, and drops slashes at its end. */
export function folder(): Rule<string> {
  const path = z.string().check(z.regex(/^(?:\/+(?!\.{1,2}(?:\/|$))[^/\0]+)+\/*$/))
  return {
    words: 'an absolute path of a folder',
    schema: z.pipe(
      path,
      z.transform((text) => text.replace(/\/+$/, '')),
    ),
  }
}

function partsOf(list: string): string[] {
  return list.trim() === '' ? [] : list.split(',').map((part) => part.trim())
}
