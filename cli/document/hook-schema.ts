import * as z from 'zod'
import { flag, hookValues, isMap, list, map, members, text, wholeNumber } from './schema-values.ts'
import { jsonOf } from './yaml-tree.ts'

const scalarProblem = 'must be text, a number, true, false or null'

const filter = z
  .custom<object>(isMap, 'must have an operation and a value')
  .transform(jsonOf)
  .pipe(z.strictObject({ operation: text, value: z.union([text, z.number(), z.boolean(), z.null()], scalarProblem) }))

const method = text.transform((word) => word.toUpperCase())

/** The request that a hook makes before each delivery. */
export const hookAuth = members({
  enabled: flag.default(false),
  url: text.default(''),
  method: method.default('GET'),
  headers: hookValues.prefault(null),
  map: hookValues.prefault(null),
  cookie: flag.default(false),
})

/** A hook. */
export const hook = z.strictObject({
  event: text,
  url: text,
  method: method.default('POST'),
  description: text.default(''),
  enable: flag.default(true),
  fields: list(text).prefault(null),
  map: map(text).prefault(null),
  filter: map(filter).prefault(null),
  headers: hookValues.prefault(null),
  auth: hookAuth,
  customBody: flag.default(false),
  rawBody: text.default(''),
  rawSubstitution: flag.transform((isOn): boolean | undefined => isOn || undefined).optional(),
  retries: wholeNumber.default(8),
  delay: wholeNumber
    .nullable()
    .transform((value) => value ?? undefined)
    .optional(),
})
