import { describe, expect, it } from 'vitest'
import { inOrder } from '../../../core/hooks/definition/event-fields.ts'
import { deliveryLimits, queuedAttempt } from '../../../core/hooks/delivery/delivery.ts'
import type { EmailSettings } from '../../../core/email/email-settings.ts'
import { emailSettingsOf } from '../../support/records/records.ts'
import { type AttemptSetup, answered, setUpAttempt } from '../../support/hooks/attempt-setup.ts'

describe('an attempt', () => {
  it('an attempt sends the signed standard body and records the success', async () => {
    const { ports, clock, delivery, event, attempt, outcome } = await setUpAttempt()
    ports.hookClient.answer = () => {
      clock.move(40)
      return answered(204, { body: 'thanks' })
    }
    const at = clock.now()

    await attempt()

    expect(ports.hookClient.sent).toEqual([
      {
        method: 'POST',
        url: 'https://receiver.example.com/hook',
        headers: {
          'content-type': 'application/json',
          'user-agent': 'callplane-hooks/1',
          'webhook-id': delivery.id,
          'webhook-timestamp': String(Math.floor(at / 1000)),
          'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
          'webhook-sequence': '41',
        },
        body: JSON.stringify({ id: delivery.id, action: 'CHANNEL_CREATE', data: inOrder(event.fields) }),
      },
    ])
    expect(await outcome()).toMatchObject({
      state: 'delivered',
      attempts: [{ at, status: 204, durationMs: 40, replySnippet: 'thanks' }],
    })
  })

  it.each([200, 201, 204, 299])('an attempt that is answered with %i is delivered', async (status) => {
    const { ports, attempt, outcome } = await setUpAttempt()
    ports.hookClient.answer = () => answered(status)

    await attempt()

    expect(await outcome()).toMatchObject({ state: 'delivered', attempts: [{ status }] })
  })

  it.each([199, 300, 301, 307, 308, 400, 401, 404, 408, 410, 429, 500, 503])(
    'an attempt that is answered with %i has failed',
    async (status) => {
      const { ports, attempt, outcome } = await setUpAttempt()
      ports.hookClient.answer = () => answered(status)

      await attempt()

      expect(await outcome()).toMatchObject({ state: 'failed', attempts: [{ status, reason: `status ${status}` }] })
    },
  )

  it.each(['blocked address', 'timeout', 'dns', 'tls', 'network'])(
    'an attempt that ends by %s has failed',
    async (reason) => {
      const { ports, attempt, outcome } = await setUpAttempt()
      ports.hookClient.answer = () => ({ outcome: 'failed', reason, durationMs: 1 })

      await attempt()

      expect(await outcome()).toMatchObject({ state: 'failed', attempts: [{ reason }] })
    },
  )

  it('an attempt records the first KiB of the response, without cutting a character in two', async () => {
    const { ports, attempt, outcome } = await setUpAttempt()
    ports.hookClient.answer = () => answered(500, { body: `x${'é'.repeat(1000)}` })

    await attempt()

    expect((await outcome())?.attempts[0]?.replySnippet).toBe(`x${'é'.repeat(511)}`)
  })

  it.each([
    [
      'was delivered',
      ({ ports, delivery }: AttemptSetup) =>
        ports.deliveries.recordAttempt(delivery, {
          attempt: { at: 1, durationMs: 1, status: 204 },
          state: 'delivered',
        }),
    ],
    [
      'was planned anew',
      ({ ports, delivery, clock }: AttemptSetup) => ports.deliveries.reschedule(delivery, clock.now() + 1),
    ],
    [
      'was begun as often as it may be',
      async ({ ports, delivery }: AttemptSetup) => {
        for (let run = 0; run < deliveryLimits.runs; run += 1) {
          await ports.deliveries.beginAttempt(delivery, `run-${run}`, 1)
        }
      },
    ],
  ])(
    'an attempt sends and records nothing where the delivery %s while its key was opened',
    async (_title, meanwhile) => {
      let left: Awaited<ReturnType<AttemptSetup['outcome']>>
      const setup: AttemptSetup = await setUpAttempt({
        beforeSigning: async () => {
          await meanwhile(setup)
          left = await setup.outcome()
        },
      })

      const made = await setup.attempt()

      expect(made).toBeUndefined()
      expect(left).toBeDefined()
      expect(await setup.outcome()).toEqual(left)
      expect([setup.ports.hookClient.sent, setup.ports.deliveryQueue.queued]).toEqual([[], []])
    },
  )

  it('a recorded attempt whose message arrives twice at once queues the next attempt once and sends nothing', async () => {
    const { ports, attempt, delivery, clock } = await setUpAttempt({ hook: { retries: 8 } })
    ports.hookClient.answer = () => answered(500)
    const wanted = queuedAttempt(delivery, clock.now())
    await attempt(wanted)
    ports.deliveryQueue.queued.length = 0

    await Promise.all([attempt(wanted), attempt(wanted)])

    expect(ports.deliveryQueue.queued).toMatchObject([{ attempt: 2 }])
    expect(ports.hookClient.sent).toHaveLength(1)
  })

  it('a recorded attempt is not made again while the delivery waits for the next one', async () => {
    const { ports, clock, delivery, attempt } = await setUpAttempt()
    const failed = { at: 1, durationMs: 1, status: 500 }
    await ports.deliveries.recordAttempt(delivery, { attempt: failed, state: 'pending', nextAttemptAt: clock.now() })

    await attempt()

    expect(ports.hookClient.sent).toHaveLength(0)
  })

  it('no attempt of a missing delivery is made', async () => {
    const { ports, attempt } = await setUpAttempt()
    ports.state.deliveries.clear()

    await attempt()

    expect(ports.hookClient.sent).toEqual([])
  })
})

describe('the request of a hook', () => {
  it.each(['GET', 'DELETE'])(
    'the request of a hook with %s has the data in its query, no body and no Content-Type',
    async (method) => {
      const action = { type: 'web' as const, method, url: 'https://r.example.com/in?x=1' }
      const { ports, attempt } = await setUpAttempt({
        hook: { action, fields: ['a'] },
        event: { fields: { a: '1 2', b: '3' } },
      })

      await attempt()

      expect(ports.hookClient.sent[0]).toMatchObject({ method, url: 'https://r.example.com/in?x=1&a=1+2', body: '' })
      expect(ports.hookClient.sent[0]?.headers).not.toHaveProperty('content-type')
      expect(ports.hookClient.sent[0]?.headers).toHaveProperty('webhook-signature')
    },
  )

  it('the request of a hook has the headers of the hook with the values of the event', async () => {
    const headers = { 'X-Caller': '${name}', 'X-Absent': '<${gone}>', 'User-Agent': 'mine', 'Content-Type': 'text/x' }
    const { ports, attempt } = await setUpAttempt({
      hook: { headers },
      event: { fields: { name: 'a\r\nX-Evil: 1 Ž' } },
    })

    await attempt()

    expect(ports.hookClient.sent[0]?.headers).toMatchObject({
      'x-caller': 'aX-Evil: 1 ?',
      'x-absent': '<>',
      'user-agent': 'mine',
      'content-type': 'text/x',
    })
    expect(Object.keys(ports.hookClient.sent[0]?.headers ?? {})).not.toContain('x-evil')
  })

  it("the request of a hook has the hook's own body", async () => {
    const { ports, attempt } = await setUpAttempt({
      hook: { customBody: true, rawBody: '{"id":"${dialerId}","cause":"${endCause}"}', fields: ['x'], map: { a: 'b' } },
      event: { fields: { dialerId: 'd"1', variable_endCause: 'BUSY', endCause: 'other' } },
    })

    await attempt()

    expect(ports.hookClient.sent[0]?.body).toBe('{"id":"d\\"1","cause":"BUSY"}')
  })

  it.each([
    ['a body that is no JSON', { customBody: true, rawBody: '{"a":${a}}' }],
    ['a header that grows beyond 8 KiB', { headers: { 'X-A': '${a}' } }],
  ])('the request of a hook is not sent with %s', async (_title, hook) => {
    const { ports, attempt, outcome } = await setUpAttempt({ hook, event: { fields: { a: 'x'.repeat(9000) } } })

    await attempt()

    expect(ports.hookClient.sent).toEqual([])
    expect(await outcome()).toMatchObject({ state: 'failed', attempts: [{ reason: 'bad_template' }] })
  })
})

describe('a notice that is due', () => {
  const disabled = { enable: false, noticeDue: true, disabledReason: 'its receiver answered 410 Gone' }

  it('a due notice is mailed once even if two messages find it at the same time', async () => {
    const { ports, hook, attempt } = await setUpAttempt({ hook: disabled })
    await ports.emailSettings.put(mailSettings(hook.domain))

    await Promise.all([attempt(), attempt()])

    expect(ports.mail.sent).toHaveLength(1)
    expect(new Set(ports.events.published.map(({ id }) => id)).size).toBe(1)
  })

  it('a due notice is not tried again if the hook was changed while its mail failed', async () => {
    const { ports, hook, attempt } = await setUpAttempt({ hook: disabled })
    await ports.emailSettings.put(mailSettings(hook.domain))
    let changing: Promise<unknown> = Promise.resolve()
    ports.mail.answer = () => {
      changing = ports.hooks.replace({ ...hook, noticeDue: false, version: hook.version + 1 })
      return { outcome: 'failed', reason: 'timeout' }
    }

    await attempt()

    expect(await changing).toBe(true)
    expect(ports.mail.sent).toHaveLength(1)
    expect(ports.deliveryQueue.queued).toEqual([])
  })
})

/** A mail server without a login. */
function mailSettings(domain: string): EmailSettings {
  const { options, ...settings } = emailSettingsOf({ domain })
  const { auth: _auth, ...server } = options
  return { ...settings, options: server }
}
