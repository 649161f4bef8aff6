import * as z from 'zod'
import type { Settings } from './model.ts'
import { isPin, isReference, isSecretValue, kept } from './secrets.ts'

/** Reports a problem of a value, or of one of its members. */
type Report = (problem: string, ...path: PropertyKey[]) => void

/** Returns a check of a value that may find problems in its members. */
export function checked<T>(check: (value: T, report: Report) => void) {
  return (value: T, context: z.core.$RefinementCtx<T>) =>
    check(value, (message, ...path) => context.addIssue({ code: 'custom', message, path }))
}

/** Any text. */
export const text = z.string()
/** `true` or `false`, in any case. */
export const flag = z
  .stringFormat('flag', /^(true|false)$/i, 'must be true or false')
  .transform((word) => /^t/i.test(word))
/** A whole number, written as text. */
export const wholeNumber = z
  .string('must be a whole number')
  .refine((word) => word.trim() !== '' && Number.isSafeInteger(Number(word)), 'must be a whole number')
  .transform(Number)
/** A list; an empty value is one without items. */
export const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullable()
    .transform((items) => items ?? [])
/** Values by name; an empty value has none. */
export const map = <T extends z.ZodType>(value: T) =>
  z
    .record(text, value)
    .nullable()
    .transform((entries): Record<string, z.output<T>> => entries ?? {})
/** Members by name; an empty value has only defaults. */
export const members = <S extends z.core.$ZodShape>(shape: S) =>
  z.preprocess((value) => value ?? {}, z.strictObject(shape))
/** An empty text is the same as none. */
export const optionalText = text.transform((value) => value || undefined).optional()
/** Each text of a list once, as the platform keeps it. */
export const texts = list(text).transform((items) => [...new Set(items)])

const secretProblem =
  'is a secret and must not be in a document: name an environment variable, "${env:NAME}"' +
  ' (capital letters, digits and _), or write "********" to keep what is stored'

const isWrittenOut = (value: string) => value !== '' && value !== kept && !isReference(value)

/** A secret: a reference, or what is stored. */
export const secret = text.refine((value) => !isWrittenOut(value), secretProblem)

/** Settings: an empty value is the same as none, and a secret is a reference. */
export const settings = map(text.nullable())
  .transform(
    (entries): Settings =>
      Object.fromEntries(Object.entries(entries).flatMap(([name, value]) => (value ? [[name, value]] : []))),
  )
  .superRefine(
    checked((entries, report) => {
      for (const [name, value] of Object.entries(entries)) {
        if (isPin(name) && isWrittenOut(value)) report(secretProblem, name)
        if (!isPin(name) && isReference(value)) report('is no secret, and only secrets may name the environment', name)
      }
    }),
  )

/** Headers and fields of a hook: those that hold secrets are references, and no other may be one. */
export const hookValues = map(text).superRefine(
  checked((entries, report) => {
    for (const [name, value] of Object.entries(entries)) {
      if (isSecretValue(name) && isWrittenOut(value)) report(secretProblem, name)
      if (!isSecretValue(name) && (isReference(value) || value === kept))
        report('only values that hold secrets, such as Authorization or password, may name the environment', name)
    }
  }),
)

/** Returns whether a value of a document is a map. */
export const isMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
