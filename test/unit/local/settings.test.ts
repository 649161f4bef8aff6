import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../../local/settings/settings.ts'

describe('readSettings', () => {
  it('the settings of npm start have a default for everything', () => {
    expect(readSettings({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      engines: [],
      enginePort: 8021,
      recordingsDir: undefined,
      dataDir: resolve('.data'),
      rootPassword: undefined,
      engineCredential: undefined,
      hookAllowedNetworks: '127.0.0.0/8,::1/128',
      dynamodbEndpoint: undefined,
      sqsEndpoint: undefined,
      s3Endpoint: undefined,
      openSearchUrl: undefined,
      allowedOrigins: [],
      logLevel: 'info',
      recordingsLock: 'off',
      rateLimits: 'off',
      eventsPerSecond: '500',
      cdrDays: '400',
      deletionGraceSeconds: '120',
      emergencyNumbers: '112,911',
      emergencyGateway: '',
      contactHosts: '',
      clientVariables: '',
    })
  })

  it.each([
    ['esl://:secret@engine.example.com:8022', { host: 'engine.example.com', port: 8022, password: 'secret' }],
    ['esl://:p%40ss@10.0.0.1', { host: '10.0.0.1', port: 8021, password: 'p@ss' }],
    ['esl://:secret@[::1]:8021', { host: '::1', port: 8021, password: 'secret' }],
  ])('the settings of npm start accept an engine from %s', (ENGINE_URL, engine) => {
    expect(readSettings({ ENGINE_URL }).engines).toEqual([engine])
  })

  it('the settings of npm start accept several engines, some without a password of their own', () => {
    const ENGINE_URL = 'esl://:secret@fs1.example.com, esl://fs2.example.com:8022'

    expect(readSettings({ ENGINE_URL, ENGINE_PASSWORD: 'of the others' }).engines).toEqual([
      { host: 'fs1.example.com', port: 8021, password: 'secret' },
      { host: 'fs2.example.com', port: 8022, password: 'of the others' },
    ])
  })

  it('the settings of npm start name the origins whose pages may call the API', () => {
    const ALLOWED_ORIGINS = 'http://localhost:5173, https://console.example.com'

    expect(readSettings({ ALLOWED_ORIGINS }).allowedOrigins).toEqual([
      'http://localhost:5173',
      'https://console.example.com',
    ])
  })

  it('the settings of npm start can forbid every other network to hooks', () => {
    expect(readSettings({ HOOK_ALLOWED_NETWORKS: '' }).hookAllowedNetworks).toBe('')
  })

  it.each([
    ['PORT', 'plantedhttp'],
    ['PORT', '65536'],
    ['ENGINE_PORT', '-1'],
    ['HOST', 'my-planted-laptop'],
    ['ALLOWED_ORIGINS', 'https://planted.example.com/'],
    ['RATE_LIMITS', 'planted=5/s'],
    ['RATE_LIMITS', 'token=5/d'],
    ['HOOK_ALLOWED_NETWORKS', 'planted'],
    ['HOOK_ALLOWED_NETWORKS', '10.0.0.0/33'],
    ['DELETION_GRACE_SECONDS', '901'],
    ['DELETION_GRACE_SECONDS', 'planted'],
    ['CLIENT_VARIABLES', 'planted'],
    ['ENGINE_MODE', 'planted'],
    ['ENGINE_TENANTS', 'planted'],
    ['ENGINE_URL', 'tcp://:secret@host'],
    ['ENGINE_URL', 'esl://host:8021'],
    ['ENGINE_URL', 'esl://:a@host:8021,esl://:b@host'],
    ['ENGINE_URL', 'esl://:100%@host'],
    ['DYNAMODB_ENDPOINT', '127.0.0.1:8000'],
    ['SQS_ENDPOINT', 'ftp://x'],
    ['LOG_LEVEL', 'planted'],
    ['LOG_LEVEL', 'INFO'],
  ])('an invalid setting names %s when it is %s, and does not repeat the value', (name, value) => {
    const read = () => readSettings({ [name]: value })

    expect(read).toThrow(new RegExp(`^${name} (?:must|is not)|^ENGINE_PASSWORD is not set`))
    expect(read).not.toThrow(/planted|got/)
  })

  it("the settings of npm start have the folder of another engine's recordings", () => {
    const ENGINE_URL = 'esl://:secret@fs1.example.com'

    expect(readSettings({ ENGINE_URL, RECORDINGS_DIR: '/srv/recordings/' }).recordingsDir).toBe('/srv/recordings')
  })

  it.each([
    [{ RECORDINGS_DIR: '/srv/recordings' }, /^RECORDINGS_DIR needs ENGINE_URL/],
    [{ ENGINE_URL: 'esl://:secret@host', RECORDINGS_DIR: 'recordings' }, /RECORDINGS_DIR must be an absolute path/],
  ])('the settings of npm start refuse an unusable folder of recordings: %o', (env, sentence) => {
    expect(() => readSettings(env)).toThrow(sentence)
  })

  it('an engine is observed only if it is another engine, and only an observed one has assigned tenants', () => {
    const tenants = { ENGINE_TENANTS: 'public=acme.example.com' }

    expect(() => readSettings({ ENGINE_MODE: 'observe' })).toThrow(/^ENGINE_MODE=observe needs ENGINE_URL/)
    expect(() => readSettings({ ENGINE_URL: 'esl://:secret@host', ...tenants })).toThrow(
      /^ENGINE_TENANTS needs ENGINE_MODE/,
    )
    expect(
      readSettings({ ENGINE_URL: 'esl://:secret@host', ENGINE_MODE: 'observe', ...tenants }).observing?.tenants,
    ).toEqual(new Map([['public', 'acme.example.com']]))
  })

  it('an error about settings never repeats a password', () => {
    for (const ENGINE_URL of ['tcp://:hunter2@host', 'esl://:a@host,esl://:hunter2?@host', 'esl://:hunter2%@host']) {
      expect(() => readSettings({ ENGINE_URL })).toThrow(/^(?!.*hunter2)/)
    }
  })
})
