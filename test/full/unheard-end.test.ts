import { expect, it } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aPlatform } from '../support/platform/platform.ts'
import { platformDump } from '../support/platform/platform-stores.ts'

const domain = 'trunk.example.com'

/** A started connector takes the one before it for alive for 15 s, and reads the engine's list twice. */
const within = { timeout: 60_000, interval: 200 }

const rig = opened(async () => {
  const platform = await aPlatform()
  return { platform, close: () => platform.close() }
})

it('legs without an account that end while no connector lives have their CDRs, in a domain without hooks', async () => {
  const { platform } = rig()
  const admin = await platform.tenant(domain)
  const engine = await platform.engine()
  const { connector } = platform.platform
  const legs = async () =>
    (await platformDump(platform.platform)).filter((item) => item.startsWith('knownCalls ') && item.includes(domain))
  const found = async () => {
    const { hits } = await admin.call('searchCdrs', { query: { leg: '*' }, body: { query: '*' } })
    return hits.hits.map(({ _source }) => _source?.hangup_cause)
  }
  expect(await engine.api(`originate {domain_name=${domain}}loopback/9196/${domain} &park()`)).toMatch(/^\+OK/)
  await expect.poll(legs, within).toHaveLength(2)

  process.kill(connector.pid ?? expect.fail('no connector'), 'SIGKILL')
  await engine.api('hupall')

  await expect.poll(found, within).toEqual(['NORMAL_UNSPECIFIED', 'NORMAL_UNSPECIFIED'])
  await expect.poll(legs, within).toEqual([])
})
