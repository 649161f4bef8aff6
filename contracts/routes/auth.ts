import * as z from 'zod/mini'
import { okInfo } from './shapes.ts'
import { route } from './route.ts'

const acl = z.record(z.string(), z.array(z.string()))

/** The address of the CDR component, which is the service itself. */
const cdr = z.object({ host: z.string(), useProxy: z.literal('true') })

const codeBody = z.object({ code: z.string('must be six digits').check(z.regex(/^\d{6}$/, 'must be six digits')) })

/** `POST /login`: exchanges a name and a password for a token. */
export const logIn = route({
  operationId: 'logIn',
  group: 'auth',
  method: 'POST',
  path: '/login',
  summary: 'Log in',
  authentication: 'none',
  permission: null,
  domain: 'none',
  mustBeCounted: true,
  limits: ['login'],
  needs: {
    accounts: ['read', 'useCode'],
    roles: ['read'],
    secretBox: ['open'],
    domains: ['read'],
    tokens: ['create'],
    passwords: ['verify'],
    secrets: ['rootPassword'],
    loginThrottle: ['begin', 'settle', 'release', 'clear', 'pause', 'isKnown', 'remember'],
    sessions: ['touch'],
  },
  body: z.object({
    username: z.optional(z.string('must be text')),
    password: z.optional(z.string('must be text')),
    code: z.optional(z.string('must be text')),
  }),
  errors: ['missing_field', 'invalid_credentials', 'not_found', 'rate_limited', 'locked_out'],
  response: z.object({
    key: z.uuid(),
    username: z.string(),
    expires: z.int(),
    token: z.string().check(z.regex(/^[\w-]+\.[\w-]+\.[\w-]+$/)),
    role: z.int(),
    roleName: z.string(),
    acl,
    cdr,
  }),
})

/** `POST /logout`: ends the presented token. */
export const logOut = route({
  operationId: 'logOut',
  group: 'auth',
  method: 'POST',
  path: '/logout',
  summary: 'Log out',
  authentication: 'token',
  permission: null,
  domain: 'none',
  needs: { tokens: ['remove'] },
  errors: ['permission_denied'],
  response: okInfo(z.string()),
})

/** `GET /api/v2/whoami` */
export const whoAmI = route({
  operationId: 'whoAmI',
  group: 'auth',
  method: 'GET',
  path: '/api/v2/whoami',
  summary: 'Describe the caller and its permissions',
  authentication: 'token',
  permission: null,
  domain: 'none',
  needs: {},
  response: z.object({
    id: z.string(),
    domain: z.string(),
    role: z.int(),
    roleName: z.string(),
    acl,
    expires: z.int(),
    cdr,
  }),
})

/** `POST /api/v2/whoami/totp`: a new secret for one-time codes, shown once. */
export const beginTotp = route({
  operationId: 'beginTotp',
  group: 'auth',
  method: 'POST',
  path: '/api/v2/whoami/totp',
  summary: 'Begin a second factor',
  authentication: 'token',
  permission: null,
  domain: 'none',
  showsSecret: true,
  needs: { accounts: ['read', 'update'], secretBox: ['seal'] },
  errors: ['bad_request', 'permission_denied', 'not_found', 'conflict'],
  response: okInfo(z.object({ secret: z.string(), uri: z.string() })),
})

const codeNeeds = {
  accounts: ['read', 'update'],
  secretBox: ['open'],
  loginThrottle: ['begin', 'clear'],
} as const

/** `POST /api/v2/whoami/totp/confirm`: switches the second factor on. */
export const confirmTotp = route({
  operationId: 'confirmTotp',
  group: 'auth',
  method: 'POST',
  path: '/api/v2/whoami/totp/confirm',
  summary: 'Switch the second factor on',
  authentication: 'token',
  permission: null,
  domain: 'none',
  needs: codeNeeds,
  body: codeBody,
  errors: ['bad_request', 'invalid_credentials', 'permission_denied', 'not_found', 'conflict', 'locked_out'],
  response: okInfo(z.string()),
})

/** `DELETE /api/v2/whoami/totp`: switches the second factor off. */
export const endTotp = route({
  operationId: 'endTotp',
  group: 'auth',
  method: 'DELETE',
  path: '/api/v2/whoami/totp',
  summary: 'Switch the second factor off',
  authentication: 'token',
  permission: null,
  domain: 'none',
  needs: codeNeeds,
  body: codeBody,
  errors: ['bad_request', 'invalid_credentials', 'permission_denied', 'not_found', 'conflict', 'locked_out'],
  response: okInfo(z.string()),
})
