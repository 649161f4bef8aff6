import { expect, it } from 'vitest'
import { writeToken } from '../../../functions/endpoint/token-text.ts'
import { Callers } from '../../../local/gateway/callers.ts'

const key = '00000000-0000-4000-8000-000000000000'
const [judging, open, ofEngine] = ['GET /things', 'GET /health', 'POST /engine/directory']

const makeCallers = () =>
  new Callers([
    { method: 'GET', path: '/things', authentication: 'token' },
    { method: 'GET', path: '/health', authentication: 'none' },
    { method: 'POST', path: '/engine/directory', authentication: 'engine' },
  ])

/** A request with a token of a domain; `secret` distinguishes tokens. */
function aRequest(domain: string, secret = 1, address = '192.0.2.1') {
  const token = writeToken({ username: '1000', domain, key }, new Uint8Array(32).fill(secret))
  return { headers: { 'x-access-token': token }, address }
}

it('requests with invalid tokens of many domains count as one caller, the network that they come from', () => {
  const callers = makeCallers()

  const names = ['a.example.com', 'b.example.com'].map((domain) => callers.of(aRequest(domain)).name)

  expect(names).toEqual(['network 192.0.2.1', 'network 192.0.2.1'])
})

it('all tokens of a domain count as one caller once a route that checks them has answered with success', () => {
  const callers = makeCallers()
  const requests = [aRequest('a.example.com', 1), aRequest('a.example.com', 2, '198.51.100.7')]

  for (const request of requests) callers.learn(callers.of(request), judging, request, 200)

  expect(requests.map((request) => callers.of(request).name)).toEqual(['domain a.example.com', 'domain a.example.com'])
})

it.each([
  ['a route that is open to all', open, 200],
  ['a refusal', judging, 401],
  ['a failure', judging, 503],
])('the answer of %s proves no token', (_name, route, status) => {
  const callers = makeCallers()
  const request = aRequest('a.example.com')

  callers.learn(callers.of(request), route, request, status)

  expect(callers.of(request).name).toBe('network 192.0.2.1')
})

it('a token that is refused later counts as its network again', () => {
  const callers = makeCallers()
  const request = aRequest('a.example.com')
  callers.learn(callers.of(request), judging, request, 200)

  callers.learn(callers.of(request), judging, request, 401)

  expect(callers.of(request).name).toBe('network 192.0.2.1')
})

it('the engine and root are each a caller of their own', () => {
  const callers = makeCallers()
  const engine = { headers: { authorization: 'Basic ZW5naW5lOng=' }, address: '192.0.2.1' }
  const root = aRequest('')

  callers.learn(callers.of(engine), ofEngine, engine, 200)
  callers.learn(callers.of(root), judging, root, 200)

  expect([callers.of(engine).name, callers.of(root).name]).toEqual(['engine', 'root'])
})

it('all IPv6 addresses of one customer count as one caller', () => {
  const callers = makeCallers()

  const names = ['2001:db8::1', '2001:db8::2:3'].map((address) => callers.of({ headers: {}, address }).name)

  expect(new Set(names).size).toBe(1)
})
