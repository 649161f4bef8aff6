/** Schemas of hooks in requests and answers. */
import * as z from 'zod/mini'

/** Text values by name. */
export const textByName = z.record(z.string(), z.string('must be text'))

/** Seconds between the first failed attempt and the second. */
const delay = z
  .int('must be a whole number')
  .check(z.minimum(1, 'must be at least 1'), z.maximum(3600, 'must be at most 3600'))

/** A hook as callers write it. core/hooks has the rules that need more than a type. */
export const hookInput = z.object({
  event: z.string('must be the name of an event').check(z.maxLength(256, 'must have at most 256 characters')),
  enable: z.optional(z.boolean('must be true or false')),
  description: z.optional(z.string('must be text').check(z.maxLength(500, 'must have at most 500 characters'))),
  action: z.object({
    type: z.literal('web', 'must be "web"'),
    method: z.string('must be an HTTP method'),
    url: z
      .string('must be an absolute http or https URL')
      .check(z.maxLength(2048, 'must have at most 2048 characters')),
  }),
  fields: z.optional(z.array(z.string('must be text').check(z.maxLength(128))).check(z.maxLength(200))),
  map: z.optional(textByName),
  filter: z.optional(
    z.record(
      z.string(),
      z.object({
        operation: z.enum(['==', '!=', '<', '>', '<=', '>=', 'reg'], 'must be ==, !=, <, >, <=, >= or reg'),
        value: z.union([z.string(), z.number(), z.boolean(), z.null()], 'must be text, a number, true, false or null'),
      }),
    ),
  ),
  headers: z.optional(textByName),
  auth: z.optional(
    z.object({
      enabled: z.optional(z.boolean('must be true or false')),
      url: z.optional(z.string('must be text').check(z.maxLength(2048, 'must have at most 2048 characters'))),
      method: z.optional(z.string('must be an HTTP method')),
      headers: z.optional(textByName),
      map: z.optional(textByName),
      cookie: z.optional(z.boolean('must be true or false')),
    }),
  ),
  customBody: z.optional(z.boolean('must be true or false')),
  rawBody: z.optional(z.string('must be text')),
  rawSubstitution: z.optional(z.boolean('must be true or false')),
  retries: z.optional(
    z.int('must be a whole number').check(z.minimum(0, 'must be at least 0'), z.maximum(10, 'must be at most 10')),
  ),
  delay: z.optional(delay),
})

/** The fields of a hook that are to change. */
export const hookPatch = z.extend(z.partial(hookInput), { delay: z.optional(z.nullable(delay)) })

/** A hook as callers see it: the written fields, the defaults, its id and its domain, without any secret. */
export const hookOutput = z.object({
  _id: z.string().check(z.regex(/^[0-9a-f]{24}$/)),
  domain: z.string(),
  event: z.string(),
  enable: z.boolean(),
  description: z.string(),
  action: z.object({ type: z.literal('web'), method: z.string(), url: z.string() }),
  fields: z.array(z.string()),
  map: textByName,
  filter: z.record(
    z.string(),
    z.object({ operation: z.string(), value: z.union([z.string(), z.number(), z.boolean(), z.null()]) }),
  ),
  headers: textByName,
  auth: z.object({
    enabled: z.boolean(),
    url: z.string(),
    method: z.string(),
    headers: textByName,
    map: textByName,
    cookie: z.boolean(),
  }),
  customBody: z.boolean(),
  rawBody: z.string(),
  rawSubstitution: z.optional(z.boolean()),
  retries: z.int(),
  delay: z.optional(z.int()),
  disabledReason: z.optional(z.string()),
})
