import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Client } from '../../client/index.ts'
import { failuresOf, madeUpToken } from '../support/platform/many-requests.ts'
import { type TestPlatform, aPlatform } from '../support/platform/platform.ts'

const domain = 'crowd.example.com'

let platform: TestPlatform
let admin: Client

beforeAll(async () => {
  platform = await aPlatform()
  admin = await platform.tenant(domain)
})

afterAll(() => platform.close())

it('a client that sends every operation 24 times at once with an invalid token affects no other client', async () => {
  const failures = await failuresOf(platform.url, madeUpToken(domain))

  const { info } = await admin.call('originateCall', { body: { callerId: '1001', calledId: '9199' } })
  expect(failures).toEqual([])
  expect(info).toMatch(/^\+OK /)
  expect(readFileSync(join(platform.dataDir, 'logs/functions.log'), 'utf8')).not.toContain('OUT_OF_MEMORY')
})
