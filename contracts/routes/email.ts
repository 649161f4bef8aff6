import * as z from 'zod/mini'
import { mailAddress, plainText } from '../fields.ts'
import { domainQuery } from './shapes.ts'
import { route } from './route.ts'

const flag = z.boolean('must be true or false')

/** The contract allows larger bodies for routes and mail settings. */
const maxBodyBytes = 1024 * 1024

/** Mail settings as callers write them; fields that are left out get the defaults of core/email. */
const emailInput = z.object({
  provider: z.literal('smtp', 'must be "smtp"'),
  description: z.optional(plainText(0, 500)),
  from: z.optional(mailAddress),
  options: z.object({
    host: plainText(1, 253),
    port: z.optional(
      z
        .int('must be a whole number')
        .check(z.minimum(1, 'must be at least 1'), z.maximum(65_535, 'must be at most 65535')),
    ),
    secure: z.optional(flag),
    debug: z.optional(flag),
    tls: z.optional(z.object({ rejectUnauthorized: z.optional(flag), allowPlaintextLogin: z.optional(flag) })),
    auth: z.optional(z.object({ user: z.optional(plainText(0, 256)), pass: z.optional(plainText(0, 256)) })),
  }),
  domain: z.optional(z.string('must be a domain name')),
})

/** Mail settings as callers see them; a password is shown as eight asterisks. */
const emailOutput = z.object({
  _id: z.string().check(z.regex(/^[0-9a-f]{24}$/)),
  provider: z.literal('smtp'),
  description: z.string(),
  from: z.string(),
  options: z.object({
    host: z.string(),
    port: z.int(),
    secure: z.boolean(),
    debug: z.boolean(),
    tls: z.object({ rejectUnauthorized: z.boolean(), allowPlaintextLogin: z.optional(z.boolean()) }),
    auth: z.optional(z.object({ user: z.optional(z.string()), pass: z.optional(z.literal('********')) })),
  }),
  domain: z.string(),
})

const common = {
  group: 'email',
  path: '/api/v2/email/settings',
  authentication: 'token',
  domain: 'required',
  versioned: true,
  query: domainQuery,
} as const

const change = { resource: 'domain/item', action: 'u' } as const

/** `GET /api/v2/email/settings` */
export const readEmailSettings = route({
  ...common,
  operationId: 'readEmailSettings',
  method: 'GET',
  summary: 'Read the mail settings of a domain',
  permission: { resource: 'domain/item', action: 'r' },
  needs: { emailSettings: ['read'] },
  response: emailOutput,
})

/** `POST /api/v2/email/settings`: creates or replaces the settings. */
export const createEmailSettings = route({
  ...common,
  operationId: 'createEmailSettings',
  method: 'POST',
  summary: 'Create or replace the mail settings of a domain',
  permission: change,
  needs: { emailSettings: ['read', 'put'], secretBox: ['seal'] },
  maxBodyBytes,
  body: emailInput,
  response: emailOutput,
})

/** `PUT /api/v2/email/settings` */
export const replaceEmailSettings = route({
  ...common,
  operationId: 'replaceEmailSettings',
  method: 'PUT',
  summary: 'Replace the mail settings of a domain',
  permission: change,
  needs: { emailSettings: ['read', 'put'], secretBox: ['seal'] },
  maxBodyBytes,
  body: emailInput,
  response: emailOutput,
})

/** `DELETE /api/v2/email/settings`: succeeds for a domain without settings, too. */
export const deleteEmailSettings = route({
  ...common,
  operationId: 'deleteEmailSettings',
  method: 'DELETE',
  summary: 'Delete the mail settings of a domain',
  permission: change,
  needs: { emailSettings: ['read', 'remove'] },
  response: z.object({ status: z.literal('OK'), Info: z.string() }),
})

/** `POST /api/v2/email/settings/test`: sends one message and returns the reply of the mail server. */
export const sendTestMail = route({
  operationId: 'sendTestMail',
  group: 'email',
  method: 'POST',
  path: '/api/v2/email/settings/test',
  summary: 'Send a test mail with the settings of a domain',
  authentication: 'token',
  permission: change,
  domain: 'required',
  mustBeCounted: true,
  needs: {
    emailSettings: ['read'],
    secretBox: ['open'],
    rateLimits: ['takeInWindow'],
    mail: ['send'],
  },
  query: domainQuery,
  maxBodyBytes,
  body: z.object({ to: mailAddress, domain: z.optional(z.string('must be a domain name')) }),
  errors: ['bad_request', 'rate_limited'],
  response: z.object({ status: z.literal('OK'), info: z.string() }),
})
