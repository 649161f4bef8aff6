import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { addressFinder, dnsResolver } from '../../../adapters/http/guarded-lookup.ts'
import { hookClientLimits, hookClientOver } from '../../../adapters/http/guarded-hook-client.ts'
import { connectionAttempts } from '../../support/engine/connection-attempts.ts'
import { aSink } from '../../support/hooks/guarded-harness.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'
import { aNameServer } from '../../support/hooks/name-server.ts'

/** A hosts file that is gone when the test ends. */
function aHostsFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hosts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'hosts')
  writeFileSync(file, text)
  return file
}

const noHosts = '/nonexistent/hosts'

describe('a name', () => {
  it('a name resolves to the addresses of both kinds that its name server returns, IPv4 first', async () => {
    const server = await aNameServer({ 'two.example.com': ['2606:4700::1111', '93.184.216.34', '10.0.0.1'] })
    const resolve = dnsResolver({ servers: [server.at], hostsFile: noHosts })

    expect(await resolve('two.example.com')).toEqual([
      { address: '93.184.216.34', family: 4 },
      { address: '10.0.0.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ])
    expect(server.asked.toSorted()).toEqual(['A two.example.com', 'AAAA two.example.com'])
  })

  it.each<[string, string]>([
    ['that does not exist', 'gone.example.com'],
    ['that has no address', 'empty.example.com'],
  ])('the lookup of a name %s is rejected', async (_title, name) => {
    const server = await aNameServer({ 'empty.example.com': [] })
    const resolve = dnsResolver({ servers: [server.at], hostsFile: noHosts })

    await expect(resolve(name)).rejects.toThrow('the name servers know no address')
  })

  it.each(['localhost', 'LOCALHOST.', 'a.localhost'])('the name %s is loopback, without a lookup', async (name) => {
    const server = await aNameServer({})
    const resolve = dnsResolver({ servers: [server.at], hostsFile: noHosts })

    expect((await resolve(name)).map(({ address }) => address)).toEqual(['127.0.0.1', '::1'])
    expect(server.asked).toEqual([])
  })

  it('a name in the hosts file is looked up only there, in the current file', async () => {
    const server = await aNameServer({})
    const hostsFile = aHostsFile('# own\n192.0.2.1\tone.test Two.test # three.test\n2001:db8::1 one.test\n')
    const resolve = dnsResolver({ servers: [server.at], hostsFile })

    const found = await Promise.all(['ONE.test', 'two.test.'].map(resolve))

    expect(found.map((all) => all.map(({ address }) => address))).toEqual([['192.0.2.1', '2001:db8::1'], ['192.0.2.1']])
    expect(server.asked).toEqual([])
    await expect(resolve('three.test')).rejects.toThrow('the name servers know no address')
    writeFileSync(hostsFile, '192.0.2.3 three.test')
    expect((await resolve('three.test')).map(({ address }) => address)).toEqual(['192.0.2.3'])
  })
})

it('the addresses of a name are complete if a name server answered, even with none, and incomplete if none could be asked', async () => {
  const server = await aNameServer({ 'one.example.com': ['192.0.2.1'], 'empty.example.com': [] })
  const find = addressFinder({ servers: [server.at], hostsFile: noHosts })
  const closed = addressFinder({ servers: [`127.0.0.1:${await freePort()}`], hostsFile: noHosts })

  expect(await find('one.example.com')).toMatchObject({ addresses: ['192.0.2.1'], isWhole: true })
  expect(await find('empty.example.com')).toMatchObject({ addresses: [], isWhole: true })
  expect(await find('gone.example.com')).toMatchObject({ addresses: [], isWhole: true })
  expect(await closed('one.example.com')).toMatchObject({ addresses: [], isWhole: false })
})

describe('names that no name server answers for', () => {
  it('names that no name server answers for do not delay other names, however many there are', async () => {
    const dead = Array.from({ length: 40 }, (_, at) => `dead-${at}.example.com`)
    const server = await aNameServer({
      ...Object.fromEntries(dead.map((name) => [name, 'silent' as const])),
      'good.example.com': ['93.184.216.34'],
    })
    const resolve = dnsResolver({ servers: [server.at], hostsFile: noHosts })

    const waiting = dead.map((name) =>
      resolve(name).then(
        () => 'found',
        () => 'none',
      ),
    )
    await server.untilAsked(80)

    expect(await Promise.race([resolve('good.example.com'), ...waiting])).toEqual([
      { address: '93.184.216.34', family: 4 },
    ])
  })
})

it('a name that first resolves to a public and then to a private address is connected to the judged address only', async () => {
  const sink = await aSink()
  const zone: Record<string, readonly string[]> = { 'rebind.example.com': ['127.0.0.1'] }
  const server = await aNameServer(zone)
  const time = manualTime()
  const client = hookClientOver({
    clock: time.clock,
    guard: addressGuard('127.0.0.0/8'),
    resolve: dnsResolver({ servers: [server.at], hostsFile: noHosts }),
    timers: time.timers,
    limits: hookClientLimits,
  })
  onTestFinished(() => client.close())
  const attempts = connectionAttempts()
  const arrived = sink.nextRequest()
  const request = { method: 'POST', url: `http://rebind.example.com:${sink.port}/`, headers: {}, body: '{}' }

  const sent = client.send(request)
  await server.untilAsked(2)
  zone['rebind.example.com'] = ['169.254.169.254']
  await arrived

  expect(await sent).toMatchObject({ outcome: 'answered', status: 200 })
  expect(attempts()).toEqual([`127.0.0.1:${sink.port}`])
  expect(server.asked).toHaveLength(2)
  const other = { ...request, url: `http://rebind.example.com:${sink.port + 1}/` }
  expect(await client.send(other)).toMatchObject({ outcome: 'failed', reason: 'blocked address' })
  expect(attempts()).toHaveLength(1)
})
