import { expect, it } from 'vitest'
import { startupReport } from '../../../local/platform/startup-report.ts'

const platform = {
  url: 'http://127.0.0.1:8080',
  folder: { file: (name: string) => `/data/${name}` },
  kept: { rootPassword: 'root-password', rootPasswordFrom: 'an earlier start' },
  demo: { passwords: { '1000@demo.example.com': 'demo-password' }, made: false },
  engine: undefined,
  hasProfile: true,
} as const
const settings = { host: '127.0.0.1', engines: [], observing: undefined }

it('the report of a start says what to type first, and ends with where everything is', () => {
  const report = startupReport({ ...platform, engine: { port: 8021 } }, settings, 61_400)

  expect(report).toContain('is up on http://127.0.0.1:8080 after 61 s')
  expect(report).toMatch(/alias callplane="node .*cli\/callplane\.mjs"\n {2}callplane call 9196 --from 1001 /)
  expect(
    report
      .split('\n')
      .slice(-5)
      .map((line) => line.trim().split(/ {2,}/)),
  ).toEqual([
    ['address', 'http://127.0.0.1:8080'],
    ['reference', 'http://127.0.0.1:8080/docs'],
    ['manual', 'docs/README.md'],
    ['profile', 'demo, signed in as 1000@demo.example.com'],
    ['stop', 'Ctrl-C where npm start runs'],
  ])
})

it('no line of the report that is to be typed has a password in it', () => {
  const report = startupReport({ ...platform, engine: { port: 8021 } }, settings, 1_000)

  expect(report.slice(report.indexOf('Type in another terminal'))).not.toContain('password')
})

it('a start that has signed nobody in says how to sign in', () => {
  const report = startupReport({ ...platform, hasProfile: false }, settings, 1_000)

  expect(report).toContain('callplane login --url http://127.0.0.1:8080 --user 1000@demo.example.com')
})

it('the report of a start with an engine of its own says which phone the demo needs', () => {
  expect(startupReport(platform, settings, 1_000)).toMatch(/need a phone of 1001 that is registered .* and answers\./)
})

it('the report of a start that only observes an engine offers nothing that would place a call', () => {
  const report = startupReport(platform, { ...settings, observing: { tenants: new Map() } }, 1_000)

  expect(report).toContain('only observed')
  expect(report).toContain('callplane channels list')
  expect(report).not.toMatch(/9196|echo extension|npm run demo/)
})
