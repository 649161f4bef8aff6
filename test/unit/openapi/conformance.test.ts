import { expect, it } from 'vitest'
import { logOut } from '../../../contracts/routes/auth.ts'
import { lookUpDirectory } from '../../../contracts/routes/engine.ts'
import { readRecording } from '../../../contracts/routes/recordings.ts'
import { readHealth } from '../../../contracts/routes/status.ts'
import { checkConforms } from '../../support/api/conformance.ts'

const asJson = (status: number, body: unknown) => ({
  status,
  contentType: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
})
const refusal = { status: 'error', code: 'invalid_token', info: 'Bad caller', requestId: '1' }

it('a response in any form that the API description declares is accepted', () => {
  const bytes = { status: 200, contentType: 'audio/wav', text: 'RIFF' }
  const redirect = { status: 302, contentType: 'text/plain', text: '' }

  expect(() => checkConforms(logOut, 'POST', asJson(200, { status: 'OK', info: 'done' }))).not.toThrow()
  expect(() => checkConforms(logOut, 'POST', asJson(401, refusal))).not.toThrow()
  expect(() => checkConforms(readHealth, 'GET', asJson(503, { status: 'error' }))).not.toThrow()
  expect(() => checkConforms(readHealth, 'HEAD', { ...asJson(200, {}), text: '' })).not.toThrow()
  expect(() => checkConforms(readRecording, 'GET', bytes)).not.toThrow()
  expect(() => checkConforms(readRecording, 'GET', redirect)).not.toThrow()
  expect(() =>
    checkConforms(lookUpDirectory, 'POST', { status: 200, contentType: 'text/xml', text: '<a/>' }),
  ).not.toThrow()
})

it.each([
  ['a status', asJson(201, { status: 'OK', info: 'done' }), 'does not have this status'],
  [
    'an error code',
    asJson(401, { ...refusal, code: 'invalid_credentials' }),
    'must be equal to one of the allowed values',
  ],
  ['the absence of a member', asJson(200, { status: 'OK' }), "must have required property 'info'"],
  ['a type', asJson(200, { status: 'OK', info: 1 }), 'must be string'],
  ['an error body', asJson(401, { code: 'invalid_token' }), "must have required property 'requestId'"],
  ['a media type', { status: 200, contentType: 'text/html', text: '' }, 'does not have the media type'],
])('%s that the API document does not have fails the test that sees it', (_, answer, problem) => {
  expect(() => checkConforms(logOut, 'POST', answer)).toThrow(problem)
})
