import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { errorBody } from '../../../contracts/routes/shapes.ts'
import { createUnmatched } from '../../../functions/unmatched.ts'
import { gatewayEvent } from '../../support/platform/api.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'

/** Asks for a path that no route serves. Every refusal is in the documented form. */
async function ask(method: string, path: string, query = '') {
  const answer = await createUnmatched(capturedLog())(gatewayEvent({ method: method as 'GET', path }, { query }))
  if (answer.statusCode >= 400) z.parse(errorBody, JSON.parse(answer.body ?? ''))
  return answer
}

describe('a path by another name', () => {
  it.each([
    ['POST', '/engine/login', '', '/login'],
    ['GET', '/engine/api/v2/accounts', 'domain=a.example.com', '/api/v2/accounts?domain=a.example.com'],
    ['GET', '/api/v2/accounts/', '', '/api/v2/accounts'],
    ['PUT', '/engine/api/v2/accounts/10+0/', '', '/api/v2/accounts/10%2B0'],
    ['PATCH', '/engine/api/v2/channels/x', '', '/api/v2/channels/x'],
    ['GET', '/health/', '', '/health'],
    ['GET', '/api/v2/accounts', '', '/api/v2/accounts'],
  ])('%s %s is sent to the one name', async (method, path, query, location) => {
    expect(await ask(method, path, query)).toMatchObject({ statusCode: 308, headers: { Location: location } })
  })

  it('a redirect to the canonical path never leads to another host or adds a header', async () => {
    for (const path of ['//evil.example/api/v2/accounts/', '/engine//evil.example/login', '/\\evil.example/']) {
      expect((await ask('GET', path)).statusCode).toBe(404)
    }
    const { headers } = await ask('GET', '/engine/api/v2/accounts/a\r\nSet-Cookie: x')
    expect(headers['Location']).toBe('/api/v2/accounts/a%0D%0ASet-Cookie%3A%20x')
  })
})

describe('an answer to a path without a route', () => {
  it('a response to an unknown path requires TLS of browsers only if the service is reached over TLS', async () => {
    const event = gatewayEvent({ method: 'GET', path: '/nothing' })
    const overTls = await createUnmatched(capturedLog(), 'https://api.test')(event)
    const overPlainHttp = await createUnmatched(capturedLog(), 'http://127.0.0.1:8080')(event)

    expect(overTls.headers['Strict-Transport-Security']).toBe('max-age=31536000')
    expect(overPlainHttp.headers).not.toHaveProperty('Strict-Transport-Security')
  })
})

describe('a wrong method', () => {
  it.each([
    ['DELETE', '/api/v2/accounts', 'GET, POST, OPTIONS'],
    ['POST', '/health', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/api/v2/accounts/1000', 'DELETE, GET, PUT, OPTIONS'],
    ['POST', '/api/v2/channels/x', 'DELETE, PATCH, PUT, OPTIONS'],
    ['TRACE', '/login', 'POST, OPTIONS'],
    ['TRACE', '/api/v2/hooks/dry-run', 'POST, OPTIONS'],
    ['PUT', '/api/v2/hooks/dry-run', 'POST, OPTIONS'],
    ['GET', '/api/v2/cdr/text', 'POST, OPTIONS'],
    ['TRACE', '/api/v2/hooks/5f1c7a1e6a1e4b1d9f0e2d0a', 'DELETE, GET, PATCH, PUT, OPTIONS'],
    ['TRACE', '/api/v2/cdr/text', 'POST, OPTIONS'],
    ['TRACE', '/api/v2/cdr/export', 'POST, OPTIONS'],
    ['TRACE', '/api/v2/routes/default/simulate', 'POST, OPTIONS'],
  ])('%s %s is refused with the allowed methods', async (method, path, allow) => {
    const answer = await ask(method, path)

    expect(answer).toMatchObject({ statusCode: 405, headers: { Allow: allow } })
    const info = `this path takes ${allow.replace(', OPTIONS', '')}`
    expect(JSON.parse(answer.body ?? '')).toMatchObject({ code: 'method_not_allowed', info })
  })

  it('an OPTIONS request needs no credential', async () => {
    expect(await ask('OPTIONS', '/api/v2/accounts')).toMatchObject({ statusCode: 204 })
  })
})

describe('an unknown path', () => {
  it.each([
    '/',
    '/api/v1/accounts',
    '/API/V2/ACCOUNTS',
    '/api/v2/./accounts',
    '/api/v2/accounts;x=1',
    '/api/v2/accounts/../domains',
    '/api/v2/channels/a/b/c/eavesdrop',
    '/engine/engine/directory',
    '/engine/health',
    '/api/v2/accounts//',
  ])('%s is refused in the documented form', async (path) => {
    expect((await ask('GET', path)).statusCode).toBe(404)
  })
})
