import * as z from 'zod/mini'

const resource = z.object({
  Type: z.string(),
  Properties: z.optional(z.record(z.string(), z.unknown())),
  Condition: z.optional(z.string()),
})

/** The used part of a CloudFormation template; the rest is not needed to run it on a laptop. */
export const template = z.object({
  Parameters: z.optional(z.record(z.string(), z.object({ Type: z.string(), Default: z.optional(z.unknown()) }))),
  Mappings: z.optional(z.record(z.string(), z.unknown())),
  Conditions: z.optional(z.record(z.string(), z.unknown())),
  Resources: z.optional(z.record(z.string(), resource)),
  Outputs: z.optional(
    z.record(
      z.string(),
      z.object({
        Value: z.unknown(),
        Export: z.optional(z.object({ Name: z.unknown() })),
        Condition: z.optional(z.string()),
      }),
    ),
  ),
})

/** See {@link template}. */
export type Template = z.infer<typeof template>

/** One resource of a template, its properties still holding intrinsic functions. */
export type TemplateResource = z.infer<typeof resource>
