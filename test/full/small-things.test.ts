/** Details that newcomers meet in the first hour, at the platform of npm start. */
import { beforeAll, describe, expect, it } from 'vitest'
import { aPlatform, tenantPassword } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'
import { rawRequest } from '../support/processes/raw-request.ts'

const domain = 'details.example.com'
const origin = 'https://console.example.com'
const rig = opened(() => aPlatform({ ALLOWED_ORIGINS: `http://localhost:5173,${origin}` }))
const json = { 'content-type': 'application/json' }

beforeAll(() => rig().tenant(domain))

/** The headers of a login. */
async function headersOf(login: string): Promise<Record<string, string>> {
  const body = JSON.stringify({ username: `${login}@${domain}`, password: tenantPassword(login) })
  const { text } = await rawRequest(rig().url, { method: 'POST', path: '/login', headers: json, body })
  const { key, token } = JSON.parse(text) as { key: string; token: string }
  return { 'x-key': key, 'x-access-token': token }
}

describe('the platform of npm start', () => {
  it('a HEAD request for the health is answered like a GET, without a body', async () => {
    const health = await fetch(`${rig().url}/health`, { method: 'HEAD' })

    expect([health.status, await health.text()]).toEqual([200, ''])
  })

  it('pages of the origins that ALLOWED_ORIGINS names may call it, those of others may not', async () => {
    const preflight = (from: string) =>
      rawRequest(rig().url, {
        method: 'OPTIONS',
        path: '/api/v2/accounts',
        headers: { origin: from, 'access-control-request-method': 'GET', 'access-control-request-headers': 'x-key' },
      })

    const [allowed, other] = await Promise.all([preflight(origin), preflight('https://other.example.com')])

    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([204, origin])
    expect(other.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('unknown query parameters of an operation change nothing and are named', async () => {
    const path = '/api/v2/accounts?limt=1&columns=id'
    const answer = await rawRequest(rig().url, { method: 'GET', path, headers: await headersOf('1000') })

    expect([answer.status, answer.headers['x-ignored-parameters']]).toEqual([200, 'limt'])
    expect(Object.keys(JSON.parse(answer.text).data)).toHaveLength(3)
  })

  it('a CDR search refuses a column that is not a field of a CDR', async () => {
    const headers = { ...json, ...(await headersOf('1000')) }
    const body = JSON.stringify({ query: '*', columns: ['duraton'] })
    const answer = await rawRequest(rig().url, { method: 'POST', path: '/api/v2/cdr/text', headers, body })

    expect([answer.status, JSON.parse(answer.text).code]).toEqual([400, 'invalid_field'])
    expect(JSON.parse(answer.text).info).toContain('duraton')
  })

  it('a refused credential and a refused permission name their cause', async () => {
    const list = { method: 'GET', path: '/api/v2/accounts' }
    const without = await rawRequest(rig().url, list)
    const { 'x-access-token': token = '' } = await headersOf('1000')
    const keyless = await rawRequest(rig().url, { ...list, headers: { 'x-access-token': token } })
    const user = await headersOf('1001')
    const denied = await rawRequest(rig().url, { method: 'GET', path: '/api/v2/hooks', headers: user })

    expect(JSON.parse(without.text)).toMatchObject({ info: 'Bad caller', details: [{ field: 'X-Access-Token' }] })
    expect(JSON.parse(keyless.text)).toMatchObject({ info: 'Bad caller', details: [{ field: 'X-Key' }] })
    expect(JSON.parse(denied.text)).toMatchObject({
      info: 'Permission denied!',
      details: [{ field: 'permission', problem: 'your role lacks the permission "r" of "hook"' }],
    })
  })
})
