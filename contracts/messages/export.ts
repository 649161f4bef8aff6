import * as z from 'zod/mini'
import { domainName } from '../fields.ts'

/** A message of the export queue: which export is to be worked on. */
export const exportMessage = z.object({
  version: z.literal(1),
  /** Empty: the CDRs of all domains. */
  domain: z.union([z.literal(''), domainName]),
  id: z.uuid(),
})

/** See {@link exportMessage}. */
export type ExportMessage = z.infer<typeof exportMessage>
