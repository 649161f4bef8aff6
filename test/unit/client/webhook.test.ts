import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { verifyDelivery } from '../../../client/index.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const body = '{"action":"CHANNEL_ANSWER","name":"č"}'
const now = 1_700_000_000_000

/** The headers of a delivery that a secret signed at `now`. */
const signed = (text = body, by = secret) => ({
  'webhook-id': 'd-1',
  'webhook-timestamp': String(now / 1000),
  'webhook-signature': new Webhook(by).sign('d-1', new Date(now), text),
})

it.each([
  ['an object of Node', signed()],
  ['Headers', new Headers(signed())],
])('a signed delivery is accepted with its headers as %s', async (_, headers) => {
  expect(await verifyDelivery({ headers, body }, { secret, now })).toBe(true)
  expect(await verifyDelivery({ headers, body: new TextEncoder().encode(body) }, { secret, now })).toBe(true)
})

it('a delivery without a body is signed over the empty text', async () => {
  expect(await verifyDelivery({ headers: signed(''), body: '' }, { secret, now })).toBe(true)
})

it.each([
  ['another body', { body: `${body} ` }],
  ['another id', { headers: { ...signed(), 'webhook-id': 'd-2' } }],
  ['another time', { headers: { ...signed(), 'webhook-timestamp': String(now / 1000 + 1) } }],
  ['no signature', { headers: { ...signed(), 'webhook-signature': undefined } }],
  [
    'a signature of another version',
    { headers: { ...signed(), 'webhook-signature': signed()['webhook-signature'].replace('v1', 'v2') } },
  ],
  ['a signature that is not base64', { headers: { ...signed(), 'webhook-signature': 'v1,***' } }],
  ['half a signature', { headers: { ...signed(), 'webhook-signature': signed()['webhook-signature'].slice(0, 20) } }],
  ['a time that is no number', { headers: { ...signed(), 'webhook-timestamp': 'now' } }],
])('a delivery with %s is refused', async (_, changed) => {
  expect(await verifyDelivery({ headers: signed(), body, ...changed }, { secret, now })).toBe(false)
})

it('during a rotation both secrets verify, and one match among the signatures is enough', async () => {
  const both = `${signed()['webhook-signature']} ${signed(body, other)['webhook-signature']}`
  const headers = { ...signed(), 'webhook-signature': both }

  expect(await verifyDelivery({ headers, body }, { secret: other, now })).toBe(true)
  expect(await verifyDelivery({ headers: signed(), body }, { secret: [other, secret], now })).toBe(true)
  expect(await verifyDelivery({ headers: signed(), body }, { secret: other, now })).toBe(false)
})

it('a delivery is accepted up to five minutes from its time, and within another tolerance if one is given', async () => {
  const judged = (seconds: number, toleranceSeconds?: number) =>
    verifyDelivery(
      { headers: signed(), body },
      { secret, now: now + seconds * 1000, ...(toleranceSeconds === undefined ? {} : { toleranceSeconds }) },
    )

  expect(await Promise.all([judged(300), judged(-300), judged(301), judged(-301), judged(301, 600)])).toEqual([
    true,
    true,
    false,
    false,
    true,
  ])
})

it('a text that is no secret is an error, since every delivery would be refused', async () => {
  await expect(verifyDelivery({ headers: signed(), body }, { secret: 'whsec_', now })).rejects.toThrow(TypeError)
})
