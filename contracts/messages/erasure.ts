import * as z from 'zod/mini'
import { domainName } from '../fields.ts'

/** A message of the queue of erasures: which one is to be worked on. */
export const erasureMessage = z.object({ version: z.literal(1), domain: domainName, id: z.uuid() })

/** See {@link erasureMessage}. */
export type ErasureMessage = z.infer<typeof erasureMessage>
