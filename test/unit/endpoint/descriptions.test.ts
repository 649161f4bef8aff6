import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { openApiDocument } from '../../../contracts/openapi/document.ts'
import examples from '../../../contracts/openapi/examples.json' with { type: 'json' }
import { routes } from '../../../contracts/routes/index.ts'
import { handler as readApiDescription } from '../../../functions/descriptions/read-api-description.ts'
import { handler as readReference } from '../../../functions/descriptions/read-reference.ts'
import { handler as readReferenceFile } from '../../../functions/descriptions/read-reference-file.ts'
import { anApi } from '../../support/platform/api.ts'

it('the description of the API is served without a credential, as its route declares', async () => {
  const answer = await anApi().call(readApiDescription)

  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.text)).toEqual(JSON.parse(JSON.stringify(openApiDocument(routes, examples))))
})

it('the API reference is a page without inline scripts that may load nothing from elsewhere', async () => {
  const answer = await anApi().call(readReference)

  expect(answer.status).toBe(200)
  expect(answer.headers).toMatchObject({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': expect.stringMatching(/^default-src 'none'; script-src 'self'; style-src 'self';/),
  })
  expect(answer.headers['Content-Security-Policy']).not.toContain('unsafe')
  expect(answer.text.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="docs/reference.js">'])
  expect(answer.text).not.toMatch(/https?:/)
})

it('a file of the API reference comes compressed to clients that accept gzip, and plain to others', async () => {
  const params = { file: 'reference.css' }

  const plain = await anApi().call(readReferenceFile, { params })
  const compressed = await anApi().call(readReferenceFile, { params, headers: { 'accept-encoding': 'br, gzip;q=0.5' } })

  expect(plain.headers).toMatchObject({ 'Content-Type': 'text/css; charset=utf-8', Vary: 'Accept-Encoding' })
  expect(plain.headers).not.toHaveProperty('Content-Encoding')
  expect(plain.bytes.toString()).toMatch(/^\/\*/)
  expect(compressed.headers).toMatchObject({ 'Content-Encoding': 'gzip' })
  expect(gunzipSync(compressed.bytes).equals(plain.bytes)).toBe(true)
})

it.each(['reference.html', '../read-reference.ts', '__proto__', 'constructor', ''])(
  'the API reference has no file of the name "%s"',
  async (file) => {
    const { status } = await anApi().call(readReferenceFile, { params: { file } })

    expect(status).toBe(404)
  },
)
