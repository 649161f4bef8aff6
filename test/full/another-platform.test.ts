/** The platform on a machine for which npm has no embedded DynamoDB: DynamoDB Local takes its place. */
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fetchDynamoDbLocal } from '../../packages/laptop/stores/dynamo-program/dynamodb-local.ts'
import { aPlatform, tenantPassword } from '../support/platform/platform.ts'

const fetched = await fetchDynamoDbLocal(process.cwd())
const missing = 'missing' in fetched ? fetched.missing : undefined
if (missing !== undefined) console.warn(`no platform runs on DynamoDB Local: ${missing}`)

const domain = 'java.example.com'
const nowhere = { platform: 'plan9', arch: 'mips' }

it.skipIf(missing !== undefined)(
  'a machine without a package of the embedded DynamoDB runs on DynamoDB Local, and finds its data again',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'callplane-e2e-'))
    const first = await aPlatform({}, dataDir, () => {}, nowhere)
    const admin = await first.tenant(domain)
    const called = await admin.call('originateCall', { body: { callerId: '1001', calledId: '9196' } })
    const listed = await admin.call('listChannels')
    await first.stop()

    const second = await aPlatform({}, dataDir, () => {}, nowhere)
    const again = await second.logIn(`1000@${domain}`, tenantPassword('1000'))
    const accounts = await again.call('listAccounts')
    await second.close()

    expect(existsSync(join(dataDir, 'dynamodb.sqlite'))).toBe(false)
    expect(listed.data.rows.map(({ uuid }) => `+OK ${uuid}\n`)).toEqual([called.info])
    expect(Object.keys(accounts.data)).toEqual(['1000', '1001', '1002'])
  },
)
