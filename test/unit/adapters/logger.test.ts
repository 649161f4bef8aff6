import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLogger } from '../../../adapters/log/logger.ts'

describe('a log line', () => {
  let lines: string[] = []

  beforeEach(() => {
    lines = []
    vi.stubEnv('POWERTOOLS_DEV', 'true')
    for (const method of ['debug', 'info', 'warn', 'error'] as const) {
      vi.spyOn(console, method).mockImplementation((line: string) => void lines.push(line))
    }
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  const written = () => lines.map((line): Record<string, unknown> => JSON.parse(line))

  test('a log line is JSON with service, level, message and the keys of its request', () => {
    const log = createLogger('holdChannel', { env: {} }).with({ requestId: 'r-1', domain: 'a.example.com' })

    log.info('held', { uuid: 'u-1' })

    expect(written()).toMatchObject([
      {
        service: 'holdChannel',
        level: 'INFO',
        message: 'held',
        requestId: 'r-1',
        domain: 'a.example.com',
        uuid: 'u-1',
      },
    ])
  })

  test('a log line does not contain the keys of another request', () => {
    const log = createLogger('x', { env: {} })

    log.with({ requestId: 'r-1' }).info('one')
    log.info('two')

    expect(written()[1]).not.toHaveProperty('requestId')
  })

  test('the environment sets the lowest level of log lines', () => {
    const log = createLogger('x', { env: { LOG_LEVEL: 'warn' } })

    log.info('quiet')
    log.warn('loud')

    expect(written().map(({ message }) => message)).toEqual(['loud'])
  })

  test.each([
    'password',
    'newPassword',
    'X-Access-Token',
    'authorization',
    'setCookie',
    'secretKey',
    'a1Hash',
    'rawBody',
  ])('a log line never contains the value of a key named %s', (name) => {
    createLogger('x', { env: {} }).info('slip', { [name]: 'hunter2' })

    expect(lines.join('')).not.toContain('hunter2')
  })

  test('a log line about an error has its name, code, message and causes, and none of its other members', () => {
    const cause = Object.assign(new TypeError('inner'), { code: 'ECONNRESET' })
    const error = Object.assign(new Error('outer', { cause }), {
      $response: { headers: { authorization: 'hunter2' } },
      config: { password: 'hunter2' },
    })

    createLogger('x', { env: {} }).error('failed', error, { uuid: 'u-1' })

    expect(written()).toMatchObject([
      { uuid: 'u-1', error: { name: 'Error', message: 'outer', cause: { name: 'TypeError', code: 'ECONNRESET' } } },
    ])
    expect(lines.join('')).not.toContain('hunter2')
  })

  test('a log line about a thrown value that is not an error has only that value', () => {
    createLogger('x', { env: {} }).error('failed', { password: 'hunter2' })

    expect(lines.join('')).not.toContain('hunter2')
  })

  test('a log line cuts values beyond a readable length', () => {
    createLogger('x', { env: {} }).info('long', { path: 'x'.repeat(100_000) })

    expect(lines.join('').length).toBeLessThan(3_000)
  })
})
