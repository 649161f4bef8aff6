/** What makes a phone answer by itself, at a real engine of the kit. Skipped without `FREESWITCH_BIN`. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Server, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { CallplaneError } from '../../client/index.ts'
import { aKitHarness } from '../support/engine/kit-harness.ts'
import { freeswitchBin } from '../support/engine/kit-engine.ts'
import type { SipPhone } from '../support/engine/sip-phone.ts'
import { opened } from '../support/processes/opened.ts'

const acme = 'acme.example.com'

/**
 * Listens where a steered INVITE would arrive: at the phone's port of another address, at a port of its own, and by
 * TCP.
 */
async function listeners(phonePort: number) {
  const received: string[] = []
  const note = (bytes: Buffer) => void received.push(bytes.toString().split('\r\n')[0] ?? '')
  const open = async (port: number) => {
    const socket = createSocket('udp4').on('message', note)
    socket.bind(port, '127.0.0.9')
    await once(socket, 'listening')
    return socket
  }
  const tcp: Server = createServer((connection) => connection.on('data', note))
  await once(tcp.listen(phonePort, '127.0.0.1'), 'listening')
  const [same, own] = [await open(phonePort), await open(0)]
  const close = () => {
    for (const each of [same, own, tcp]) each.close()
  }
  return { received, port: own.address().port, close }
}

describe.skipIf(freeswitchBin === undefined)('at an engine of the kit', () => {
  const harness = opened(() => aKitHarness())

  /** A phone at a port whose number is free for TCP too: the system chose it for UDP alone. */
  const phoneWithListeners = async (): Promise<readonly [SipPhone, Awaited<ReturnType<typeof listeners>>]> => {
    const phone = await harness().phone('1001', acme)
    const elsewhere = await listeners(Number(phone.address.split(':')[1])).catch(() => undefined)
    return elsewhere === undefined ? phoneWithListeners() : [phone, elsewhere]
  }

  it('what the API takes as parameters of an INVITE rings the phone at its own address, and what steers it is refused', async () => {
    const admin = await harness().platform.tenant(acme)
    const [phone, elsewhere] = await phoneWithListeners()
    expect((await phone.register()).status).toBe(200)
    const call = (value: string) =>
      admin
        .call('originateCall', {
          body: { callerId: '1001', calledId: '9196', timeout: 5, auto_answer_param: `sip_invite_params=${value}` },
        })
        .then(
          () => 'rang',
          (error: unknown) => (error instanceof CallplaneError ? error.code : String(error)),
        )
    const { port } = elsewhere
    const steering = ['a;maddr=127.0.0.9', 'm%61ddr=127.0.0.9', 'transport=tcp', `a?Route=<sip:127.0.0.9:${port};lr>`]

    for (const value of steering) expect([value, await call(value)]).toEqual([value, 'invalid_field'])
    for (const value of ['intercom=true', 'intercom=true;answer-after=0', 'x-maddr=127.0.0.9;lr2;a_b=~+-']) {
      expect([value, await call(value)]).toEqual([value, 'rang'])
    }

    elsewhere.close()
    expect(phone.rang).toHaveLength(3)
    expect(elsewhere.received).toEqual([])
  })
})
