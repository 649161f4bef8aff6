import * as z from 'zod/mini'
import { domainName } from '../fields.ts'

/** A message of the clean-up queue: a domain whose deletion was asked for. */
export const cleanupMessage = z.object({
  version: z.literal(1),
  domain: domainName,
  requestedAt: z.int(),
  silencedAt: z.optional(z.int()),
})

/** See {@link cleanupMessage}. */
export type CleanupMessage = z.infer<typeof cleanupMessage>
