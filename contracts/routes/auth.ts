import * as z from 'zod/mini'
import { okInfo } from './shapes.ts'
import { route } from './route.ts'

const acl = z.record(z.string(), z.array(z.string()))

/** `POST /login`: a name and a password become a token. */
export const logIn = route({
  operationId: 'logIn',
  group: 'auth',
  method: 'POST',
  path: '/login',
  summary: 'Log in',
  authentication: 'none',
  permission: null,
  domain: 'none',
  needs: {
    accounts: ['read'],
    domains: ['read'],
    tokens: ['create'],
    passwords: ['verify'],
    secrets: ['rootPassword'],
    loginThrottle: ['read', 'fail', 'clear'],
    sessions: ['touch'],
  },
  body: z.object({
    username: z.optional(z.string('must be text')),
    password: z.optional(z.string('must be text')),
    code: z.optional(z.string('must be text')),
  }),
  response: z.object({
    key: z.uuid(),
    username: z.string(),
    expires: z.int(),
    token: z.string().check(z.regex(/^[\w-]+\.[\w-]+\.[\w-]+$/)),
    role: z.int(),
    roleName: z.string(),
    acl,
    cdr: z.object({ host: z.string(), useProxy: z.literal('true') }),
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
  response: okInfo(z.string()),
})
