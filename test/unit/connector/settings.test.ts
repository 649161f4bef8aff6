import { expect, test } from 'vitest'
import { readSettings } from '../../../connector/settings.ts'

const env = { ENGINE_URL: 'esl://192.0.2.1:8022', ENGINE_PASSWORD: 'ClueCon', HEALTH_PORT: '8081' }

test('the engine, the health port and the version of a connector are read from the environment', () => {
  expect(readSettings({ ...env, BUILD_VERSION: '1.2.3' })).toEqual({
    engines: [{ host: '192.0.2.1', port: 8022, password: 'ClueCon' }],
    healthPort: 8081,
    version: '1.2.3',
    stage: '',
    stopSeconds: 120,
    clientVariables: new Map(),
  })
})

test.each([
  ['a password in the address', { ENGINE_URL: 'esl://:p%40ss@192.0.2.1' }, { port: 8021, password: 'p@ss' }],
  ['an IPv6 address', { ENGINE_URL: 'esl://[::1]:8021' }, { host: '::1' }],
  ['no port', { ENGINE_URL: 'esl://engine.example.com' }, { host: 'engine.example.com', port: 8021 }],
])('the address may have %s', (_what, more, engine) => {
  expect(readSettings({ ...env, ...more }).engines).toMatchObject([engine])
})

test('several engines are comma-separated, and each may carry a password of its own', () => {
  const ENGINE_URL = 'esl://fs1.example.com:8021, esl://:one%2Ctwo@fs2.example.com,esl://fs1.example.com:8022'

  expect(readSettings({ ...env, ENGINE_URL }).engines).toEqual([
    { host: 'fs1.example.com', port: 8021, password: 'ClueCon' },
    { host: 'fs2.example.com', port: 8021, password: 'one,two' },
    { host: 'fs1.example.com', port: 8022, password: 'ClueCon' },
  ])
})

test("no separate password is needed if every engine's address contains one", () => {
  const { engines } = readSettings({ HEALTH_PORT: '0', ENGINE_URL: 'esl://:a@192.0.2.1,esl://:b@192.0.2.2' })

  expect(engines.map(({ password }) => password)).toEqual(['a', 'b'])
})

test.each([
  ['ENGINE_URL', undefined],
  ['ENGINE_URL', ''],
  ['ENGINE_URL', 'http://192.0.2.1:8021'],
  ['ENGINE_URL', '192.0.2.1:8021'],
  ['ENGINE_URL', 'esl://:sec%ret@192.0.2.1'],
  ['ENGINE_URL', 'esl://:sec?ret@192.0.2.1:8021'],
  ['ENGINE_URL', 'esl://:sec,ret@192.0.2.1:8021'],
  ['ENGINE_URL', 'esl://:sec%0Aret@192.0.2.1:8021'],
  ['ENGINE_URL', 'esl://192.0.2.1:0'],
  ['ENGINE_URL', 'esl://192.0.2.1:70000'],
  ['ENGINE_URL', 'esl://192.0.2.1:8021/8022'],
  ['ENGINE_URL', 'esl://192.0.2.1:8021,'],
  ['ENGINE_URL', 'esl://192.0.2.1:8021,esl://192.0.2.1:8021'],
  ['ENGINE_URL', 'esl://192.0.2.1:8021,esl://:secret@192.0.2.1'],
  ['ENGINE_URL', 'esl://FS1.example.com,esl://fs1.example.com'],
  ['ENGINE_URL', Array.from({ length: 33 }, (_, index) => `esl://192.0.2.${index}`).join(',')],
  ['ENGINE_PASSWORD', undefined],
  ['ENGINE_PASSWORD', 'sec\nret'],
  ['HEALTH_PORT', undefined],
  ['HEALTH_PORT', '70000'],
  ['HEALTH_PORT', '-1'],
  ['STOP_SECONDS', '29'],
  ['STOP_SECONDS', '121'],
  ['SPOOL_BYTES', '4194303'],
  ['SPOOL_BYTES', '70000.5'],
  ['SPOOL_BYTES', 'secret'],
])('a connector with %s=%j does not start, and names the variable but not its value', (name, value) => {
  const read = () => readSettings({ SPOOL_DIR: '/spool', ...env, [name]: value })

  expect(read).toThrow(name)
  expect(read).not.toThrow(/sec|192\.0\.2\.1|70000/)
})

test('events wait on disk if a folder is named, and otherwise in memory only', () => {
  const { spool } = readSettings({ ...env, SPOOL_DIR: '/var/spool/callplane', SPOOL_BYTES: '8000000' })

  expect(spool).toEqual({ folder: '/var/spool/callplane', bytes: 8_000_000 })
  expect(readSettings({ ...env, SPOOL_DIR: '/s' }).spool?.bytes).toBe(1024 ** 3)
  expect(readSettings({ ...env, SPOOL_BYTES: '8000000' }).spool).toBeUndefined()
})
