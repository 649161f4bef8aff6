import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { forbiddenTarget, urlProblem } from '../../../core/requests/target-url.ts'

const publicOnly = addressGuard('')
const laptop = addressGuard('127.0.0.0/8,::1/128')

const samples = Object.entries(
  JSON.parse(readFileSync(new URL('../../fixtures/bad-inputs/hook-urls.json', import.meta.url), 'utf8')) as Record<
    string,
    string[]
  >,
)

describe.each(samples)('refused on save: %s', (_group, urls) => {
  it.each(urls)('a hook may not have the URL %s', (url) => {
    expect(urlProblem(url, publicOnly)).toEqual(expect.any(String))
  })
})

describe('a good URL', () => {
  it.each([
    'https://hooks.example.com/',
    'http://hooks.example.com',
    'HTTPS://HOOKS.EXAMPLE.COM:8443/a/b?c=d&e=%20',
    'https://hooks.example.com./in',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:8080/',
    'https://xn--bcher-kva.example/',
    'https://hooks.example.com/a@b',
    'https://localhost.example.com/',
    'https://mylocal/',
    `https://hooks.example.com/${'a'.repeat(2048 - 'https://hooks.example.com/'.length)}`,
  ])('a hook may have the URL %s', (url) => {
    expect(urlProblem(url, publicOnly)).toBeUndefined()
  })
})

it.each([
  ['https://hooks.example.com/#', 'must not have a fragment'],
  ['https://hooks.example.com/in#a', 'must not have a fragment'],
  ['https://@hooks.example.com/', 'must not hold user info'],
  ['https://:@hooks.example.com/', 'must not hold user info'],
  ['https://u@hooks.example.com/', 'must not hold user info'],
  ['https://hooks.example.com\\in', 'must not contain spaces, line ends or back slashes'],
  ['https://hooks.example.com/a b', 'must not contain spaces, line ends or back slashes'],
  ['ftp://hooks.example.com/', 'must be an absolute http or https URL'],
  ['https:hooks.example.com', 'must be an absolute http or https URL'],
])('%s is refused: it %s', (url, problem) => {
  expect(urlProblem(url, publicOnly)).toBe(problem)
})

describe('a local name is refused', () => {
  it.each([
    'localhost.',
    'LOCALHOST',
    'x.local',
    'x.localdomain',
    'x.internal',
    'metadata',
    'metadata.google.internal',
    'instance-data',
    'router.lan',
    'x.home.arpa',
  ])('%s', (name) => {
    expect(urlProblem(`http://${name}/`, publicOnly)).toBe(forbiddenTarget)
  })
})

describe('where loopback is allowed', () => {
  it.each(['http://localhost:9000/', 'http://127.0.0.1:9000/', 'http://[::1]:9000/', 'http://0x7f.1/'])(
    '%s is accepted',
    (url) => {
      expect(urlProblem(url, laptop)).toBeUndefined()
    },
  )

  it.each(['http://10.0.0.1/', 'http://metadata.google.internal/', 'http://x.local/', 'http://127.0.0.1:22/'])(
    '%s stays refused',
    (url) => {
      expect(urlProblem(url, laptop)).toEqual(expect.any(String))
    },
  )
})

it.each([0, 22, 25, 53, 3389, 8021])('port %i is refused', (port) => {
  expect(urlProblem(`https://hooks.example.com:${port}/`, publicOnly)).toBe(`must not use port ${port}`)
})

it('a URL of 2049 characters is refused', () => {
  const url = 'https://hooks.example.com/'.padEnd(2049, 'a')

  expect(urlProblem(url, publicOnly)).toBe('must have at most 2048 characters')
})

it('the refusal of a forbidden address does not reveal which rule it broke', () => {
  const problems = ['http://127.0.0.1/', 'http://10.0.0.1/', 'http://localhost/'].map((url) =>
    urlProblem(url, publicOnly),
  )

  expect(new Set(problems)).toEqual(new Set([forbiddenTarget]))
})
