import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectionAttempts } from '../../support/engine/connection-attempts.ts'
import { aGuardedHarness, aSink, checkAftermath, lastAttempt } from '../../support/hooks/guarded-harness.ts'
import { answering } from '../../support/hooks/hook-sink.ts'
import { anEvent } from '../../support/records/records.ts'

const fixture = (name: string): string => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), 'utf8')
const hour = 3_600_000

describe('F45 a name', () => {
  it.each<[string, () => Promise<readonly string[]>]>([
    ['that does not resolve', () => Promise.reject(new Error('ENOTFOUND'))],
    ['that has no address', () => Promise.resolve([])],
  ])(
    'a receiver with a name %s causes a failed attempt with that reason, and the name is looked up again',
    async (_title, resolve) => {
      const harness = aGuardedHarness({ resolve })
      await harness.hook('https://gone.example.com/')
      const attempts = connectionAttempts()

      await harness.deliver(anEvent())
      await harness.time.advance(6_000)
      await harness.attempt()

      expect(harness.deliveries()).toMatchObject([
        { state: 'pending', attempts: [{ reason: 'dns' }, { reason: 'dns' }] },
      ])
      expect(harness.asked).toEqual(['gone.example.com', 'gone.example.com'])
      expect(attempts()).toEqual([])
      checkAftermath(harness, [])
    },
  )

  it.each([
    ['http://169.254.169.254.sslip.io/', ['169.254.169.254']],
    ['https://two.example.com/', ['93.184.216.34', '10.0.0.1']],
    ['https://two.example.com/', ['2606:4700::1111', '::1']],
    ['http://vpce-1.execute-api.us-east-1.vpce.amazonaws.com/', ['10.0.12.7']],
    ['https://mapped.example.com/', ['::ffff:169.254.169.254']],
    ['https://translated.example.com/', ['64:ff9b::a9fe:a9fe']],
    ['https://scoped.example.com/', ['fe80::1%lo']],
    ['https://garbage.example.com/', ['169.254.169.254, 93.184.216.34']],
  ])('a target %s that leads to %j is refused before a socket opens', async (url, addresses) => {
    const harness = aGuardedHarness({ resolve: () => addresses })
    await harness.hook(url)
    const attempts = connectionAttempts()

    const deliveries = await harness.deliver(anEvent())

    expect(deliveries).toMatchObject([{ state: 'pending', attempts: [{ reason: 'blocked address' }] }])
    expect(attempts()).toEqual([])
    checkAftermath(harness, [])
  })

  it('the address of an auth pre-request is judged as well', async () => {
    const harness = aGuardedHarness({ resolve: () => ['10.0.0.1'] })
    await harness.hook('https://hooks.example.com/', { auth: { enabled: true, url: 'https://auth.example.com/' } })
    const attempts = connectionAttempts()

    await harness.deliver(anEvent())

    expect(lastAttempt(harness)).toMatchObject({ reason: 'auth_failed' })
    expect(harness.asked).toEqual(['auth.example.com'])
    expect(attempts()).toEqual([])
  })
})

describe('F46 a name that changes its address', () => {
  it("a receiver's name is looked up once for each connection, which is opened to the judged address", async () => {
    const sink = await aSink(answering(500, '', { connection: 'close' }))
    let asked = 0
    const harness = aGuardedHarness({ resolve: () => [(asked += 1) % 2 === 1 ? '127.0.0.1' : '169.254.169.254'] })
    await harness.hook(`http://rebind.example.com:${sink.port}/`)
    const attempts = connectionAttempts()

    await harness.deliver(anEvent())
    for (let again = 0; again < 3; again += 1) {
      await harness.time.advance(2 * hour)
      await harness.attempt()
    }

    const reasons = harness.deliveries()[0]?.attempts.map(({ reason }) => reason)
    expect(reasons).toEqual(['status 500', 'blocked address', 'status 500', 'blocked address'])
    expect(harness.asked).toHaveLength(4)
    expect(attempts()).toEqual([`127.0.0.1:${sink.port}`, `127.0.0.1:${sink.port}`])
    checkAftermath(harness, [sink])
  })

  it("a receiver's name that changes its address between pre-request and request is refused for the request", async () => {
    const auth = await aSink(answering(200, '{}', { connection: 'close' }))
    const answers = ['127.0.0.1', '169.254.169.254']
    const harness = aGuardedHarness({ resolve: () => [answers.shift() ?? ''] })
    const url = `http://rebind.example.com:${auth.port}/`
    await harness.hook(url, { auth: { enabled: true, url } })
    const attempts = connectionAttempts()

    await harness.deliver(anEvent())

    expect(lastAttempt(harness)).toMatchObject({ reason: 'blocked address' })
    expect(attempts()).toEqual([`127.0.0.1:${auth.port}`])
  })
})

describe('F47 a receiver', () => {
  const authorities = fixture('ca.pem')
  const key = fixture('sink.key')
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const

  it.each([
    ['whose certificate has expired', { cert: fixture('expired.pem') }],
    ['whose certificate is for another name', { cert: fixture('other-name.pem') }],
    ['whose certificate is signed by itself', { cert: fixture('self-signed.pem') }],
    ['that speaks TLS 1.0 only', { cert: fixture('valid.pem'), ...old }],
    ['that speaks TLS 1.1 only', { cert: fixture('valid.pem'), ...old, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' }],
  ] as const)('%s is sent nothing, and the attempt has failed for it', async (_title, tls) => {
    const sink = await aSink(undefined, { key, ...tls })
    const harness = aGuardedHarness({ resolve: () => ['127.0.0.1'], authorities })
    await harness.hook(`https://sink.example.com:${sink.port}/`)

    const deliveries = await harness.deliver(anEvent())

    expect(deliveries).toMatchObject([{ state: 'pending', attempts: [{ reason: 'tls' }] }])
    expect(sink.requests).toEqual([])
    checkAftermath(harness, [sink])
  })

  it('a receiver is offered TLS 1.2 and 1.3 and nothing older', async () => {
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    onTestFinished(() => void listener.close())
    const { port } = listener.address() as AddressInfo
    const harness = aGuardedHarness({ resolve: () => ['127.0.0.1'], authorities })
    await harness.hook(`https://sink.example.com:${port}/`)
    await harness.dispatch(anEvent())

    const attempts = harness.attempt()
    const [socket] = await once(listener, 'connection')
    const [hello] = await once(socket, 'data')
    socket.destroy()
    await attempts

    // The extension `supported_versions` (RFC 8446, section 4.2.1) with two of them.
    expect(hello.includes(Buffer.from([0, 43, 0, 5, 4, 3, 4, 3, 3]))).toBe(true)
    checkAftermath(harness, [])
  })

  it('a receiver that has repaired its certificate gets what waited, under the same id', async () => {
    const broken = await aSink(undefined, { key, cert: fixture('expired.pem') })
    const harness = aGuardedHarness({ resolve: () => ['127.0.0.1'], authorities })
    await harness.hook(`https://sink.example.com:${broken.port}/`)
    await harness.deliver(anEvent())
    const mended = await aSink(undefined, { key, cert: fixture('valid.pem') })
    const [stored] = harness.ports.state.hooks.entries()
    const [at, hook] = stored ?? []
    if (at === undefined || hook === undefined) throw new Error('there is no hook')
    const url = `https://sink.example.com:${mended.port}/`
    harness.ports.state.hooks.set(at, { ...hook, action: { ...hook.action, url } })

    await harness.time.advance(6_000)
    await harness.attempt()

    expect(harness.deliveries()).toMatchObject([{ state: 'delivered', attempts: [{ reason: 'tls' }, { status: 200 }] }])
    expect(mended.requests.map(({ headers }) => headers['webhook-id'])).toEqual([harness.deliveries()[0]?.id])
    checkAftermath(harness, [broken, mended])
  })
})
