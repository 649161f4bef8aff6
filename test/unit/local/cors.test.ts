import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { request } from 'node:http'
import { cors } from '../../../contracts/routes/cors.ts'
import type { CrossOrigin } from '../../../packages/laptop/assembly/assembly.ts'
import { crossOriginFor } from '../../../local/platform/cross-origin.ts'
import { Gateway } from '../../../packages/laptop/gateway/gateway.ts'
import { RouteTable } from '../../../packages/laptop/gateway/route-table.ts'
import { contractRefusal } from '../../../local/platform/contract-refusal.ts'

const origin = 'https://console.example.com'

const config = crossOriginFor([origin])

/**
 * Sends one request to a gateway whose function answers 200; returns the answer and whether the function was called.
 */
async function ask(crossOrigin: CrossOrigin | undefined, method: string, headers: Record<string, string>) {
  const gateway = new Gateway({ refuse: contractRefusal })
  const address = await gateway.open('127.0.0.1', 0)
  let asked = 0
  const invoke = async () => {
    asked += 1
    return { statusCode: 200, headers: { ETag: 'W/"x"', 'Access-Control-Allow-Origin': '*' }, body: '{}' }
  }
  gateway.serve({ table: new RouteTable([{ key: '$default', target: 'function' }]), invoke, crossOrigin })
  try {
    const sent = request(`http://${address}/api/v2/accounts`, { method, headers })
    sent.end()
    const [response] = await once(sent, 'response')
    response.resume()
    await once(response, 'end')
    return { status: response.statusCode, headers: response.headers, asked }
  } finally {
    await gateway.close()
  }
}

const preflight = { origin, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-key' }

describe('a preflight', () => {
  it('a preflight of an allowed origin is answered 204 without credentials, and no function is called', async () => {
    const { status, headers, asked } = await ask(config, 'OPTIONS', preflight)

    expect({ status, asked }).toEqual({ status: 204, asked: 0 })
    expect(headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE,OPTIONS',
      'access-control-allow-headers':
        'content-type,accept,x-access-token,x-key,idempotency-key,if-match,if-none-match,x-request-id,traceparent,tracestate',
      'access-control-max-age': '3600',
      vary: 'Origin',
    })
  })

  it.each(['https://evil.example', 'null', `${origin}.evil.example`, `${origin}:8443`, 'http://console.example.com'])(
    'a preflight of %s allows nothing',
    async (other) => {
      const { status, headers, asked } = await ask(config, 'OPTIONS', { ...preflight, origin: other })

      expect({ status, asked }).toEqual({ status: 204, asked: 0 })
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    },
  )

  it('a preflight goes to the function if no origin is configured', async () => {
    expect(await ask(undefined, 'OPTIONS', preflight)).toMatchObject({ asked: 1 })
  })
})

describe('an OPTIONS that is no preflight', () => {
  it('an OPTIONS request that is no preflight goes to the function', async () => {
    expect(await ask(config, 'OPTIONS', { origin })).toMatchObject({ asked: 1 })
    expect(await ask(config, 'OPTIONS', {})).toMatchObject({ asked: 1 })
  })
})

describe('an answer', () => {
  it('a response to an allowed origin exposes every header of the contract to its page', async () => {
    const { headers } = await ask(config, 'GET', { origin })

    expect(headers).toMatchObject({ 'access-control-allow-origin': origin, etag: 'W/"x"', vary: 'Origin' })
    expect(String(headers['access-control-expose-headers']).split(',')).toEqual(
      cors.exposedHeaders.map((name) => name.toLowerCase()),
    )
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })

  it('a response to another origin, or to none, has no CORS headers', async () => {
    for (const given of [{ origin: 'https://evil.example' }, {}] as Record<string, string>[]) {
      const { status, headers } = await ask(config, 'GET', given)

      expect(status).toBe(200)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})
