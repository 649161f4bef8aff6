import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { compressed } from '../../../functions/endpoint/compression.ts'
import { handler as readApiDescription } from '../../../functions/descriptions/read-api-description.ts'
import { handler as readHealth } from '../../../functions/status/read-health.ts'
import { handler as whoAmI } from '../../../functions/auth/who-am-i.ts'
import { anApi } from '../../support/platform/api.ts'

const gzip = { 'accept-encoding': 'br, gzip;q=0.5' }
const answer = (contentType: string, body: string) => ({
  statusCode: 200,
  headers: { 'Content-Type': contentType },
  body,
})

it('a long answer is compressed for a client that accepts gzip, and says that it differs by that header', async () => {
  const plain = await anApi().call(readApiDescription)
  const zipped = compressed(answer('application/json', plain.text), 'gzip')

  expect(zipped).toMatchObject({
    isBase64Encoded: true,
    headers: { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' },
  })
  expect(gunzipSync(Buffer.from(zipped.body ?? '', 'base64')).toString()).toBe(plain.text)
})

it('every function compresses: the description arrives compressed and unchanged', async () => {
  const plain = await anApi().call(readApiDescription)
  const zipped = await anApi().call(readApiDescription, { headers: gzip })

  expect(plain.headers).toMatchObject({ Vary: 'Accept-Encoding' })
  expect(plain.headers).not.toHaveProperty('Content-Encoding')
  expect(zipped.headers).toMatchObject({ 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' })
  expect(zipped.body).toEqual(plain.body)
})

it.each([
  ['Accept', 'Accept, Accept-Encoding'],
  ['Origin, accept-encoding', 'Origin, accept-encoding'],
  ['*', '*'],
])('an answer that differs by %s already then differs by %s', (Vary, expected) => {
  const given = answer('application/json', 'a'.repeat(4096))

  for (const accepted of ['gzip', undefined]) {
    expect(compressed({ ...given, headers: { ...given.headers, Vary } }, accepted).headers['Vary']).toBe(expected)
  }
})

it('a short answer is left as it is', async () => {
  const { headers } = await anApi().call(readHealth, { headers: gzip })

  expect(headers).not.toHaveProperty('Content-Encoding')
  expect(headers).not.toHaveProperty('Vary')
})

it.each(['audio/wav', 'application/octet-stream'])('an answer of the type %s is left as it is', (type) => {
  const given = { ...answer(type, 'a'.repeat(4096)), isBase64Encoded: true }

  expect(compressed(given, 'gzip')).toBe(given)
})

it('bytes of a text type are compressed as bytes', () => {
  const bytes = Buffer.from('p { color: red }\n'.repeat(200))
  const given = { ...answer('text/css; charset=utf-8', bytes.toString('base64')), isBase64Encoded: true }

  expect(gunzipSync(Buffer.from(compressed(given, 'gzip').body ?? '', 'base64')).equals(bytes)).toBe(true)
})

it('a JSON answer and a refusal end their line, so that the prompt of a terminal begins the next one', async () => {
  const success = await anApi().call(readApiDescription)
  const refusal = await anApi().call(whoAmI)

  expect([success.status, refusal.status]).toEqual([200, 401])
  expect(success.text).toMatch(/\}\n$/)
  expect(refusal.text).toMatch(/\}\n$/)
})
