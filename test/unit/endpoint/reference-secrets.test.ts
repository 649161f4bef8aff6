import { expect, it } from 'vitest'
import * as z from 'zod/mini'

const page = z
  .object({
    jsonText: z.custom<(value: unknown, reveal?: boolean) => string>(),
    withoutSecrets: z.custom<(body: string) => string>(),
  })
  .parse(await import(new URL('../../../functions/descriptions/files/operation.js', import.meta.url).href))

it('the API reference shows secrets of an answer only on demand, also those that it holds by names', () => {
  const answer = { data: { secrets: { hook_1: 'whsec_planted' }, exampleSecret: 'whsec_planted', name: 'shown' } }
  const hidden = '••••••••'

  expect(JSON.parse(page.jsonText(answer, false))).toEqual({
    data: { secrets: { hook_1: hidden }, exampleSecret: hidden, name: 'shown' },
  })
  expect(JSON.parse(page.jsonText(answer))).toEqual(answer)
})

it.each([
  ['{"username":"1000","password":"plan\\"ted"}', '{"username":"1000","password":"••••••••"}'],
  ['{"username":"1000","password":"plan', '{"username":"1000","password":"••••••••"'],
  ['{"password" : 1234, "name": "shown"}', '{"password" : "••••••••", "name": "shown"}'],
  ['{"options":{"auth":{"user":"shown","pass":"planted"}}}', '{"options":{"auth":{"user":"shown","pass":"••••••••"}}}'],
  ['{"callerId":"1001"}', '{"callerId":"1001"}'],
])('the line for a shell shows the body %s as %s', (body, shown) => {
  expect(page.withoutSecrets(body)).toBe(shown)
})
