import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { hmacSha256 } from '../../../adapters/crypto/hook-digests.ts'
import { encodeSecret, signatureHeaders, signingSecrets } from '../../../core/hooks/definition/signing.ts'

describe('a signature', () => {
  const key = new Uint8Array(32).fill(7)

  it.each(['{"a":"č"}', ''])('a signature over %j is accepted by the standardwebhooks library', (body) => {
    const at = Date.now()

    const headers = signatureHeaders({ id: 'msg_1', at, body }, [key], hmacSha256)

    const webhook = new Webhook(encodeSecret(key))
    expect(() => webhook.verify(body, headers)).not.toThrow()
    expect(() => webhook.verify(`${body} `, headers)).toThrow('No matching signature found')
    expect(() => webhook.verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow('No matching signature found')
  })

  it('a signature has the form of the example in the Standard Webhooks specification', () => {
    const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: 1_614_265_330_999, body: '{"test": 2432232314}' }

    expect(signatureHeaders(message, [secret], hmacSha256)).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('a delivery is signed with each secret, so that old and new both verify during a rotation', () => {
    const old = new Uint8Array(32).fill(8)

    const headers = signatureHeaders({ id: 'msg_1', at: Date.now(), body: '{}' }, [key, old], hmacSha256)

    expect(new Webhook(encodeSecret(key)).verify('{}', headers)).toEqual({})
    expect(new Webhook(encodeSecret(old)).verify('{}', headers)).toEqual({})
    const onlyNew = signatureHeaders({ id: 'msg_1', at: Date.now(), body: '{}' }, [key], hmacSha256)
    expect(headers['webhook-signature']?.split(' ')[0]).toBe(onlyNew['webhook-signature'])
  })
})

it('a rotated-out secret signs until the end of its grace period and no longer', () => {
  const secrets = [{ sealed: 'new' }, { sealed: 'old', until: 1000 }]

  expect(signingSecrets({ secrets }, 999)).toEqual(secrets)
  expect(signingSecrets({ secrets }, 1000)).toEqual([{ sealed: 'new' }])
})
