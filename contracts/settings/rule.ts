import * as z from 'zod/mini'

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
