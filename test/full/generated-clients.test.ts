/**
 * What others generate of the API description, untouched, compiles and works: each client logs in, lists accounts,
 * places a call, creates and lists hooks, and searches call records.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { clients, runStep } from '../support/generated-clients/clients.ts'
import { type TestPlatform, aPlatform, tenantPassword } from '../support/platform/platform.ts'

let platform: TestPlatform
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callplane-clients-'))
  platform = await aPlatform()
})

afterAll(async () => {
  await platform?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** What each program prints of the answers that it read. */
const printed = z.object({
  expires: z.int(),
  accounts: z.int(),
  order: z.array(z.string()),
  call: z.string(),
  created: z.string(),
  hooks: z.int(),
  hook: z.string(),
  total: z.int(),
})

it.each(Object.entries(clients))('a client of %s compiles and works', async (name, build) => {
  const home = mkdtempSync(join(folder, 'client-'))
  writeFileSync(join(home, 'openapi.json'), await (await fetch(`${platform.url}/openapi.json`)).text())
  const built = await build(home)
  if ('missing' in built) return console.warn(`no client of ${name} is built: ${built.missing}`)
  const domain = `${name.toLowerCase().replaceAll(/[^a-z]/g, '')}.example.com`
  const admin = await platform.tenant(domain)
  const env = {
    PLATFORM_URL: platform.url,
    ADMIN_USERNAME: `1000@${domain}`,
    ADMIN_PASSWORD: tenantPassword('1000'),
  }

  const output = await runStep({ ...built, env })
  const found = printed.parse(JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? output))

  const { data } = await admin.call('listHooks')
  expect(found).toMatchObject({
    accounts: 2,
    order: ['1002', '1001'],
    call: expect.stringMatching(/^\+OK [0-9a-f-]{36}\n$/),
    created: data[0]?._id,
    hooks: 1,
    hook: data[0]?._id,
  })
  expect(found.expires).toBeGreaterThan(Date.now())
})
