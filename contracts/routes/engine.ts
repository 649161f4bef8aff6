import * as z from 'zod/mini'
import { route } from './route.ts'

/**
 * `POST /engine/directory`: the engine's own lookup of an account, form-encoded as its XML lookup module sends it and
 * answered in XML. Anything it does not know is answered `not found`, with status 200, as the engine expects.
 */
export const lookUpDirectory = route({
  operationId: 'lookUpDirectory',
  group: 'engine',
  method: 'POST',
  path: '/engine/directory',
  summary: 'Look an account up for the engine',
  authentication: 'engine',
  permission: null,
  domain: 'none',
  needs: { accounts: ['read', 'readByNumber'], domains: ['read'] },
  form: z.object({
    section: z.optional(z.string()),
    key: z.optional(z.string()),
    tag_name: z.optional(z.string()),
    key_name: z.optional(z.string()),
    key_value: z.optional(z.string()),
    user: z.optional(z.string()),
    domain: z.optional(z.string()),
    action: z.optional(z.string()),
    purpose: z.optional(z.string()),
  }),
  response: z.string(),
  responseType: 'text/xml',
})
