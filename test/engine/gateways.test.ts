/** Gateways of an engine of the kit, at a registrar of the tests. Skipped without `FREESWITCH_BIN`. */
import { describe, expect, it } from 'vitest'
import { planted } from '../support/invariants/secret-forms.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import { openSipRegistrar } from '../support/engine/sip-registrar.ts'
import { tenantPassword } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'
import { type TcpProxy, startTcpProxy } from '../support/processes/tcp-proxy.ts'

const acme = 'acme.example.com'
const blue = 'blue.example.com'
const realm = 'trunks.example.net'
const event = 'CUSTOM->sofia::gateway_state'

/** The contract's most for a change to be at the engine, and to be shown. */
const soon = { timeout: 10_000, interval: 100 }
/** An engine that was away, and a connector that waits before it connects again. */
const later = { timeout: 60_000, interval: 200 }

describe.skipIf(freeswitchBin === undefined)('gateways of an engine of the kit', () => {
  let toEngine: TcpProxy
  const passwords = Object.fromEntries(
    ['first', 'second', 'third', 'fourth', 'fifth'].map((user) => [user, planted(`password-of-${user}`)]),
  )
  const harness = opened(async () => {
    const registrar = await openSipRegistrar(realm, passwords)
    const kit = await aKitHarness({
      socketPort: async (port) => {
        toEngine = await startTcpProxy(port)
        return toEngine.port
      },
    })
    await kit.platform.tenant(acme)
    await kit.platform.tenant(blue)
    return {
      ...kit,
      kit,
      registrar,
      close: async () => {
        await kit.close()
        await toEngine.close()
        await registrar.close()
      },
    }
  })
  const admin = (domain = acme) => harness().platform.logIn(`1000@${domain}`, tenantPassword('1000'))
  const trunk = (user: string) => ({
    realm,
    proxy: `127.0.0.1:${harness().registrar.port}`,
    username: user,
    password: passwords[user] ?? '',
  })
  const stateOf = async (name: string, domain = acme) => {
    const { data } = await (await admin(domain)).call('readGateway', { params: { gateway_name: name } })
    return `${data.state} ${data.status}`
  }

  it("a gateway that the API creates registers within ten seconds, is shown as registered, and its event reaches the domain's hook", async () => {
    const [receiver, foreign] = [await harness().platform.receiver(), await harness().platform.receiver()]
    for (const [domain, { url }] of [
      [acme, receiver],
      [blue, foreign],
    ] as const) {
      await (await admin(domain)).call('createHooks', {
        body: [{ event, action: { type: 'web', method: 'POST', url } }],
      })
    }

    await (await admin()).call('createGateway', { body: { name: 'trunk', ...trunk('first') } })

    await expect.poll(() => stateOf('trunk'), soon).toBe('REGED UP')
    expect(harness().registrar.registered()).toEqual(['first'])
    // The hook is in force by now, if it was not when the gateway was made.
    await (await admin()).call('updateGateway', { params: { gateway_name: 'trunk' }, body: { expires: 300 } })
    const states = new Set<unknown>()
    while (!states.has('REGED')) {
      const { data } = JSON.parse((await receiver.next(event)).body)
      expect(data).toMatchObject({ Gateway: 'trunk', 'Event-Domain': acme })
      states.add(data.State)
    }
    await (await admin(blue)).call('createGateway', { body: { name: 'trunk', ...trunk('fifth') } })
    expect(JSON.parse((await foreign.next(event)).body).data).toMatchObject({ 'Event-Domain': blue })
  })

  it('a gateway with a wrong password is shown as failed, and one without registration as such', async () => {
    const wrong = planted('password-that-is-wrong')
    await (await admin()).call('createGateway', { body: { name: 'wrong', ...trunk('second'), password: wrong } })
    await (await admin()).call('createGateway', {
      body: { name: 'still', realm, register: false, networks: ['198.51.100.0/24'] },
    })

    await expect.poll(() => stateOf('wrong'), soon).toBe('FAIL_WAIT DOWN')
    await expect.poll(() => stateOf('still'), soon).toBe('NOREG UP')
  })

  it('a gateway registers as its user, whatever number its calls show', async () => {
    const body = { name: 'numbered', ...trunk('fourth'), caller_id: 'number:380441230000' }
    await (await admin()).call('createGateway', { body })

    await expect.poll(() => stateOf('numbered'), soon).toBe('REGED UP')
    await (await admin()).call('deleteGateway', { params: { gateway_name: 'numbered' } })
    await expect.poll(() => harness().registrar.registered(), soon).not.toContain('fourth')
  })

  it('a gateway with TLS is refused, since the engine has none', async () => {
    const body = { name: 'tls', ...trunk('first'), transport: 'tls' as const }
    await expect
      .poll(async () => {
        const made = (await admin()).call('createGateway', { body })
        return made.then(
          async () => (await admin()).call('deleteGateway', { params: { gateway_name: 'tls' } }),
          (problem: unknown) => String(problem),
        )
      }, later)
      .toContain('the engines have no TLS for gateways')
  })

  it('a changed gateway registers with its new settings within ten seconds, and a deleted one is gone from the engine', async () => {
    await (await admin()).call('updateGateway', { params: { gateway_name: 'trunk' }, body: trunk('third') })
    await expect.poll(() => harness().registrar.registered(), soon).toEqual(['fifth', 'third'])
    await expect.poll(() => stateOf('trunk'), soon).toBe('REGED UP')

    await (await admin()).call('deleteGateway', { params: { gateway_name: 'trunk' } })

    await expect.poll(() => harness().registrar.registered(), soon).toEqual(['fifth'])
    await expect.poll(() => harness().kit.engine.api('sofia status'), soon).not.toContain(`${acme}_trunk`)
  })

  it('gateways that change while the link to an engine is down are applied when it is back, and the others stay registered', async () => {
    await (await admin()).call('createGateway', { body: { name: 'changed', ...trunk('first') } })
    await (await admin()).call('createGateway', { body: { name: 'gone', ...trunk('second') } })
    await expect.poll(() => harness().registrar.registered(), soon).toEqual(['fifth', 'first', 'second'])
    await expect.poll(() => stateOf('changed'), soon).toBe('REGED UP')
    toEngine.isRefusing = true
    for (const connection of toEngine.connections) connection.reset()
    await expect.poll(() => stateOf('changed'), later).toBe('UNKNOWN UNKNOWN')

    await (await admin()).call('updateGateway', { params: { gateway_name: 'changed' }, body: trunk('third') })
    await (await admin()).call('deleteGateway', { params: { gateway_name: 'gone' } })
    await (await admin()).call('createGateway', { body: { name: 'new', ...trunk('fourth') } })
    const listed = () => harness().kit.engine.api('sofia xmlstatus gateway')
    const since = (name: string, xml: string) =>
      new RegExp(`<name>${blue}_${name}</name>[^]*?<uptime-usec>(\\d+)<`).exec(xml)?.[1]
    const before = Number(since('trunk', await listed()))
    toEngine.isRefusing = false

    await expect.poll(() => harness().registrar.registered(), later).toEqual(['fifth', 'fourth', 'third'])
    await expect.poll(() => stateOf('changed'), later).toBe('REGED UP')
    await expect.poll(() => stateOf('new'), later).toBe('REGED UP')
    expect(await listed()).not.toContain(`${acme}_gone`)
    expect(Number(since('trunk', await listed()))).toBeGreaterThan(before)
  })

  it('a restarted engine has the gateways as they were changed meanwhile', async () => {
    await harness().kit.engine.stop()
    await (await admin()).call('updateGateway', { params: { gateway_name: 'changed' }, body: trunk('second') })
    await (await admin()).call('deleteGateway', { params: { gateway_name: 'new' } })

    harness().kit.engine = await harness().kit.startEngine()

    await expect.poll(() => stateOf('changed'), later).toBe('REGED UP')
    expect(harness().registrar.registered()).toContain('second')
    expect(await harness().kit.engine.api('sofia status')).not.toContain(`${acme}_new`)
    // The engine asks before the platform runs, and logs the refusal of a wrong password.
    const expected = /HTTP error|Failed Registration with status Forbidden/
    expect(
      harness()
        .place.errors()
        .filter((line) => !expected.test(line)),
    ).toEqual([])
  })
})
