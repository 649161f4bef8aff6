/** Schemas that more than one route uses. */
import * as z from 'zod/mini'
import { errorCodes } from './error-codes.ts'

/** The body of every answer with status 4xx or 5xx. */
export const errorBody = z.object({
  status: z.literal('error'),
  info: z.string(),
  code: z.enum(errorCodes),
  details: z.optional(z.array(z.object({ field: z.string(), problem: z.string() }))),
  requestId: z.string(),
})

/** Returns the response `{status:"OK", data}`. */
export const okData = <T extends z.ZodMiniType>(data: T) => z.object({ status: z.literal('OK'), data })

/**
 * Returns the response of a list whose entries have ids that may be numbers: `order` has the ids as `sort` orders them,
 * since members that are numbers come first in many languages.
 */
export const okInOrder = <T extends z.ZodMiniType>(entry: T) =>
  z.extend(okData(z.record(z.string(), entry)), { order: z.readonly(z.array(z.string())) })

/** Returns the response `{status:"OK", info}`. */
export const okInfo = <T extends z.ZodMiniType>(info: T) => z.object({ status: z.literal('OK'), info })

/** Returns a query value that is a whole number in text, from `min` to `max`. */
export const wholeNumber = (min: number, max: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)),
    z.pipe(
      z.transform((text: string) => Number(text)),
      z.int().check(z.minimum(min, `must be at least ${min}`), z.maximum(max, `must be at most ${max}`)),
    ),
  )

/** The query parameters that every list takes; `columns`, `sort` and `filter` are read by the list rules in core. */
export const listQuery = z.object({
  domain: z.optional(z.string()),
  limit: z.optional(wholeNumber(1, 1000)),
  page: z.optional(wholeNumber(1, 1_000_000)),
  cursor: z.optional(z.string().check(z.maxLength(4096, 'must be an X-Next-Cursor of this list'))),
  columns: z.optional(z.string().check(z.maxLength(4096))),
  sort: z.optional(z.string().check(z.maxLength(4096))),
  filter: z.optional(z.string().check(z.maxLength(4096))),
})

/** The query of an endpoint that takes none but the domain. */
export const domainQuery = z.object({ domain: z.optional(z.string()) })
