import { expect, it } from 'vitest'
import { startupReport } from '../../../local/platform/startup-report.ts'

const platform = {
  url: 'http://127.0.0.1:8080',
  folder: { file: (name: string) => `/data/${name}` },
  kept: { rootPassword: 'root-password', rootPasswordFrom: 'an earlier start' },
  demo: { passwords: { '1000@demo.example.com': 'demo-password' }, made: false },
  engine: undefined,
} as const
const settings = { host: '127.0.0.1', engines: [], observing: undefined }

it('the report of a start says how to log in, to place a call and to list it', () => {
  const report = startupReport({ ...platform, engine: { port: 8021 } }, settings, 1_000)

  expect(report).toContain('call the echo extension from 1001')
  expect(report).toContain('"calledId":"9196"')
  expect(report).toMatch(/walks the whole job\.$/)
})

it('the report of a start with an engine of its own says which phone the demo needs', () => {
  expect(startupReport(platform, settings, 1_000)).toMatch(/needs a phone of 1001 that is registered .* and answers\.$/)
})

it('the report of a start that only observes an engine offers nothing that would place a call', () => {
  const report = startupReport(platform, { ...settings, observing: { tenants: new Map() } }, 1_000)

  expect(report).toContain('only observed')
  expect(report).toContain('Log in, list the live channels:')
  expect(report).not.toMatch(/9196|echo extension|npm run demo/)
})
