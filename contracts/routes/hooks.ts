import * as z from 'zod/mini'
import { hookInput, hookOutput, hookPatch, textByName } from './hook-shapes.ts'
import { domainQuery, listQuery, okData } from './shapes.ts'
import { route } from './route.ts'

/** `GET /api/v2/hooks` */
export const listHooks = route({
  operationId: 'listHooks',
  group: 'hooks',
  method: 'GET',
  path: '/api/v2/hooks',
  summary: 'List the hooks of a domain',
  authentication: 'token',
  permission: { resource: 'hook', action: 'r' },
  domain: 'required',
  needs: { hooks: ['list'] },
  query: listQuery,
  response: okData(z.array(z.partial(hookOutput))),
})

/** `POST /api/v2/hooks`: one hook, or a list of them. */
export const createHooks = route({
  operationId: 'createHooks',
  group: 'hooks',
  method: 'POST',
  path: '/api/v2/hooks',
  summary: 'Create hooks',
  authentication: 'token',
  permission: { resource: 'hook', action: 'c' },
  domain: 'required',
  needs: { hooks: ['create'], secretBox: ['seal'] },
  showsSecret: true,
  query: domainQuery,
  body: z.union([
    hookInput,
    z
      .array(hookInput)
      .check(z.minLength(1, 'must hold at least one hook'), z.maxLength(20, 'must hold at most 20 hooks')),
  ]),
  errors: ['conflict'],
  response: okData(
    z.object({
      result: z.object({ ok: z.literal(1), n: z.int() }),
      ops: z.array(hookOutput),
      insertedCount: z.int(),
      insertedIds: z.array(z.string()),
      /** Hook id to `whsec_…`: shown here and never again. */
      secrets: textByName,
    }),
  ),
})

/** One hook of a domain. Any text is accepted; text that is not an id finds no hook. */
const oneHook = {
  group: 'hooks',
  path: '/api/v2/hooks/{hook_id}',
  authentication: 'token',
  domain: 'required',
  versioned: true,
  params: z.object({ hook_id: z.string() }),
  query: domainQuery,
} as const

/** `GET /api/v2/hooks/<id>` */
export const readHook = route({
  ...oneHook,
  operationId: 'readHook',
  method: 'GET',
  summary: 'Read a hook',
  permission: { resource: 'hook', action: 'r' },
  needs: { hooks: ['read'] },
  response: okData(hookOutput),
})

/** `PUT /api/v2/hooks/<id>`: fields that are left out get their defaults; id, domain and secrets stay. */
export const replaceHook = route({
  ...oneHook,
  operationId: 'replaceHook',
  method: 'PUT',
  summary: 'Replace a hook',
  permission: { resource: 'hook', action: 'u' },
  needs: { hooks: ['read', 'replace'] },
  body: hookInput,
  response: okData(hookOutput),
})

/** `PATCH /api/v2/hooks/<id>`: replaces each given field as a whole; the others stay. */
export const updateHook = route({
  ...oneHook,
  operationId: 'updateHook',
  method: 'PATCH',
  summary: 'Change fields of a hook',
  permission: { resource: 'hook', action: 'u' },
  needs: { hooks: ['read', 'replace'] },
  body: hookPatch,
  response: okData(hookOutput),
})

/** `DELETE /api/v2/hooks/<id>` */
export const deleteHook = route({
  ...oneHook,
  operationId: 'deleteHook',
  method: 'DELETE',
  summary: 'Delete a hook',
  permission: { resource: 'hook', action: 'd' },
  needs: { hooks: ['read', 'remove'] },
  response: okData(z.object({ ok: z.literal(1), n: z.literal(1) })),
})

/** `POST /api/v2/hooks/<id>/secret`: creates a signing secret; the previous one also signs for a day. */
export const rotateHookSecret = route({
  ...oneHook,
  operationId: 'rotateHookSecret',
  method: 'POST',
  path: '/api/v2/hooks/{hook_id}/secret',
  summary: 'Give a hook a new signing secret',
  permission: { resource: 'hook', action: 'u' },
  needs: { hooks: ['read', 'replace'], secretBox: ['seal'] },
  versioned: false,
  showsSecret: true,
  response: okData(
    z.object({
      _id: z.string(),
      /** Hook id to `whsec_…`: shown here and never again. */
      secrets: textByName,
      /** The moment until which the previous secret also signs, epoch milliseconds. */
      previousUntil: z.int(),
    }),
  ),
})
