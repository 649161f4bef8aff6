import { expect, it } from 'vitest'
import type * as z from 'zod/mini'
import type { Answer, OperationId } from '../../../client/index.ts'
import { operations } from '../../../client/operations.ts'
import type { createHooks } from '../../../contracts/routes/hooks.ts'
import type { listChannels } from '../../../contracts/routes/channels.ts'
import type { listEvents } from '../../../contracts/routes/events.ts'
import type { readRecording } from '../../../contracts/routes/recordings.ts'
import type { whoAmI } from '../../../contracts/routes/auth.ts'
import { routes } from '../../../contracts/routes/index.ts'
import { takesKey } from '../../../contracts/routes/route.ts'
import { typeOf } from '../../support/api/client-types.ts'

/**
 * The answers that the platform's own schema has, and the client's type of the same answer. The compiler compares them.
 */
type Derived<R extends { readonly operationId: OperationId; readonly response: z.ZodMiniType }> =
  z.infer<R['response']> extends Answer<R['operationId']> ? true : never
const derived: readonly [
  Derived<typeof createHooks>,
  Derived<typeof listChannels>,
  Derived<typeof listEvents>,
  Derived<typeof readRecording>,
  Derived<typeof whoAmI>,
] = [true, true, true, true, true]

it('the client has every operation that users call, but not the pages of the API reference', () => {
  const expected = routes
    .filter(({ authentication, path }) => authentication !== 'engine' && !path.startsWith('/docs'))
    .map((route) => [route.operationId, { method: route.method, path: route.path, takesKey: takesKey(route) }])

  expect(operations).toEqual(Object.fromEntries(expected))
  expect(derived).not.toContain(undefined)
})

it.each([
  [{ type: 'string' }, 'string'],
  [{ type: 'integer' }, 'number'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ enum: ['a', "b'c"] }, String.raw`'a' | 'b\'c'`],
  [{ const: 'OK' }, "'OK'"],
  [{ const: '+OK\n' }, String.raw`'+OK\n'`],
  [{ const: 'a "b"' }, `'a "b"'`],
  [{ const: true }, 'true'],
  [{}, 'unknown'],
  [{ type: 'array', items: { type: ['string', 'number'] } }, 'readonly (string | number)[]'],
  [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, 'readonly [string, number]'],
  [{ anyOf: [{ type: 'string' }, { type: 'string' }, { type: 'null' }] }, 'string | null'],
  [{ $ref: '#/components/schemas/onePart1' }, 'OnePart1'],
  [
    { type: 'object', properties: { a: { type: 'string' }, 'b-c': {} }, required: ['a'] },
    "{ readonly a: string; readonly 'b-c'?: unknown }",
  ],
  [{ type: 'object', additionalProperties: { type: 'string' } }, '{ readonly [name: string]: string }'],
  [
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: {} },
    '{ readonly a?: string; readonly [name: string]: unknown }',
  ],
])('the schema %j has the type %s', (schema, type) => {
  expect(typeOf(schema)).toBe(type)
})
