import { describe, expect, it } from 'vitest'
import { queuedAttempt } from '../../../core/hooks/delivery/delivery.ts'
import { failedDelivery } from '../../../contracts/workers.ts'
import {
  type DeliveryHarness,
  aDeliveryHarness,
  anArrival,
  answered,
  checkDeliveries,
} from '../../support/hooks/delivery-harness.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { emailSettingsOf } from '../../support/records/records.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const statuses = (harness: DeliveryHarness, hook: { id: string }) =>
  harness.delivery(hook).attempts.map(({ status }) => status)

/** A mail server without a login. */
const mailSettings = emailSettingsOf({
  options: {
    host: 'smtp.example.com',
    port: 465,
    secure: true,
    debug: false,
    tls: { rejectUnauthorized: true },
  },
})

describe('F39 a receiver that answers 410', () => {
  it('an answer of 410 switches the hook off at once and notifies the owner once; waiting deliveries are dropped', async () => {
    const harness = aDeliveryHarness()
    await harness.ports.emailSettings.put(mailSettings)
    const hook = await harness.hook({ answers: [500, 410] })
    const events = [anArrival(), anArrival(), anArrival()]
    for (const event of events) await harness.dispatch([event])

    while ((await harness.workOnce(harness.ports, 1)) > 0);
    await harness.settle()

    const stored = await harness.ports.hooks.read(hook.domain, hook.id)
    expect(stored).toMatchObject({ enable: false, disabledReason: 'its receiver answered 410 Gone', version: 2 })
    expect(stored).not.toHaveProperty('noticeDue')
    expect(harness.requests(hook)).toHaveLength(2)
    expect(
      harness
        .deliveries()
        .map(({ state }) => state)
        .toSorted(),
    ).toEqual(['failed', 'skipped', 'skipped'])
    expect(harness.ports.events.published).toMatchObject([
      {
        name: 'CUSTOM->svc::hook_disabled',
        domain: hook.domain,
        fields: { 'Hook-ID': hook.id, 'Disabled-Reason': 'its receiver answered 410 Gone' },
      },
    ])
    expect(harness.ports.mail.sent.map(({ mail }) => mail)).toMatchObject([
      { from: mailSettings.from, to: mailSettings.from, subject: `A hook of ${hook.domain} was disabled` },
    ])
    checkDeliveries(harness, events, [hook])
  })

  it('an answer of 410 is recorded even if the mail about it can never be sent', async () => {
    const harness = aDeliveryHarness()
    // Its password was sealed for somebody else.
    await harness.ports.emailSettings.put(emailSettingsOf())
    const hook = await harness.hook({ answers: [410] })
    await harness.dispatch([anArrival()])
    await harness.settle()

    expect(harness.delivery(hook)).toMatchObject({ state: 'failed', attempts: [{ status: 410 }] })
    expect(harness.messages()).toEqual([])
    expect(await harness.ports.hooks.read(hook.domain, hook.id)).not.toHaveProperty('noticeDue')
  })

  it('an answer of 410 mails the owner once, later if the mail server is away, and publishes one event', async () => {
    const harness = aDeliveryHarness()
    await harness.ports.emailSettings.put(mailSettings)
    const hook = await harness.hook({ answers: [410] })
    const failed = { outcome: 'failed', reason: 'timeout' } as const
    harness.ports.mail.answer = () =>
      harness.ports.mail.sent.length < 3 ? failed : { outcome: 'sent', reply: '250 OK' }
    await harness.dispatch([anArrival(), anArrival()])
    const since = harness.clock.now()
    await harness.settle()

    expect(harness.ports.mail.sent.map(({ mail }) => (mail.date - since) / second)).toEqual([0, 60, 360])
    expect(new Set(harness.ports.mail.sent.map(({ mail }) => mail.id)).size).toBe(1)
    expect(new Set(harness.ports.events.published.map(({ id }) => id)).size).toBe(1)
    expect(harness.requests(hook)).toHaveLength(2)
  })

  it('mails about an answer of 410 keep their waits while other deliveries of the hook end', async () => {
    const harness = aDeliveryHarness()
    await harness.ports.emailSettings.put(mailSettings)
    const hook = await harness.hook({ answers: [410] })
    harness.ports.mail.answer = () => ({ outcome: 'failed', reason: 'timeout' })
    const events = Array.from({ length: 7 }, () => anArrival())
    for (const event of events) await harness.dispatch([event])
    const since = harness.clock.now()
    while ((await harness.workOnce(harness.ports, 1)) > 0);
    await harness.settle()

    const minutes = harness.ports.mail.sent.map(({ mail }) => (mail.date - since) / 60_000)
    expect(minutes).toEqual([0, 1, 6, 21, 36])
    checkDeliveries(harness, events, [hook])
  })

  it.each([
    [
      'changed',
      (harness: DeliveryHarness, hook: Hook) => harness.ports.hooks.replace({ ...hook, noticeDue: false, version: 3 }),
    ],
    ['removed', (harness: DeliveryHarness, hook: Hook) => harness.ports.hooks.remove({ ...hook, version: 2 })],
  ])('an answer of 410 sends no more mail once the hook was %s', async (_title, change) => {
    const harness = aDeliveryHarness()
    await harness.ports.emailSettings.put(mailSettings)
    const hook = await harness.hook({ answers: [410] })
    harness.ports.mail.answer = () => ({ outcome: 'failed', reason: 'timeout' })
    await harness.dispatch([anArrival()])
    await harness.work()
    await change(harness, hook)
    await harness.settle()

    expect(harness.ports.mail.sent).toHaveLength(1)
  })

  it('an answer of 410 does not switch off a hook that its owner changed meanwhile', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook()
    harness.receive(hook.id, () => {
      const [key = ''] = harness.ports.state.hooks.keys()
      harness.ports.state.hooks.set(key, { ...hook, version: 2 })
      return answered(410)
    })
    await harness.dispatch([anArrival()])
    await harness.work()

    expect(await harness.ports.hooks.read(hook.domain, hook.id)).toMatchObject({ enable: true, version: 2 })
    expect(harness.delivery(hook)).toMatchObject({ state: 'failed', attempts: [{ status: 410 }] })
  })

  it('an answer of 410 is reported to the owner later if the event queue does not take the event', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook({ answers: [410] })
    await harness.dispatch([anArrival()])
    harness.ports.events.refuses = () => true
    await harness.work()
    expect(await harness.ports.hooks.read(hook.domain, hook.id)).toMatchObject({ enable: false, noticeDue: true })

    harness.ports.events.refuses = () => false
    harness.moveToNext()
    await harness.work()

    expect(harness.ports.events.published).toHaveLength(1)
    expect(await harness.ports.hooks.read(hook.domain, hook.id)).not.toHaveProperty('noticeDue')
    expect(harness.delivery(hook)).toMatchObject({ state: 'failed', attempts: [{ status: 410 }] })
  })
})

describe('F42 all attempts are used up', () => {
  it('a delivery without attempts left is a dead letter with its attempts, is logged with its domain, and can be resent under its id', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook({ answers: [...Array.from({ length: 12 }, () => 500), 200], retries: 10 })
    await harness.dispatch([anArrival()])
    const from = harness.clock.now()
    await harness.settle()

    expect(await harness.ports.deliveries.listFailed(hook.domain, 9)).toEqual([harness.delivery(hook)])
    expect(harness.delivery(hook)).toMatchObject({ state: 'failed', tries: 11 })
    expect(statuses(harness, hook)).toHaveLength(11)
    // The ten waits of the contract, each with at most a fifth more.
    const whole = 5 + 30 + 300 + 1_800 + 3_600 * (2 + 5 + 10 + 14 + 20 + 24)
    expect((harness.clock.now() - from) / second).toBeGreaterThanOrEqual(whole)
    expect((harness.clock.now() - from) / second).toBeLessThanOrEqual(whole * 1.2 + 11)
    expect(harness.log.lines.filter(({ message }) => message === failedDelivery)).toMatchObject([
      { level: 'warn', keys: { domain: hook.domain, hookId: hook.id } },
    ])

    const { id } = harness.delivery(hook)
    const opened = await harness.ports.deliveries.reopen(harness.delivery(hook), harness.clock.now())
    if (opened === undefined) throw new Error('it has ended')
    harness.put(queuedAttempt(opened, harness.clock.now()))
    await harness.settle()

    expect(harness.delivery(hook)).toMatchObject({ state: 'delivered', tries: 13, earlierTries: 11 })
    expect(new Set(harness.requests(hook).map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]))
    expect(await harness.ports.deliveries.listFailed(hook.domain, 9)).toEqual([])
  })

  it('a delivery is a dead letter without a retry if the response is final, or if no request can be made of the event', async () => {
    const harness = aDeliveryHarness()
    const final = await harness.hook({ answers: [404] })
    const broken = await harness.hook({ customBody: true, rawBody: '{' })
    await harness.dispatch([anArrival()])
    await harness.work()

    expect(harness.delivery(final)).toMatchObject({ state: 'failed', attempts: [{ status: 404 }] })
    expect(harness.delivery(broken)).toMatchObject({ state: 'failed', attempts: [{ reason: 'bad_template' }] })
    expect(harness.messages()).toEqual([])
  })

  it('a delivery is a dead letter once its payload is no longer kept', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook({ answers: [answered(503, { headers: { 'retry-after': '86400' } })], retries: 10 })
    await harness.dispatch([anArrival()])
    await harness.settle()

    expect(harness.requests(hook)).toHaveLength(7)
    expect(harness.delivery(hook)).toMatchObject({ state: 'failed' })
    expect(harness.delivery(hook).attempts.at(-1)).toMatchObject({ reason: 'event_expired' })
  })
})

describe('F43 a hook that fails for five days', () => {
  async function failing(harness: DeliveryHarness, times: number, everyMs: number): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      await harness.dispatch([anArrival()])
      await harness.work()
      harness.clock.move(everyMs)
    }
  }

  it('a hook that fails for five days is switched off with a reason and a notice, at the twentieth failed delivery at the earliest', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook({ answers: [404] })
    await failing(harness, 20, Math.ceil((5 * day) / 19))

    const stored = await harness.ports.hooks.read(hook.domain, hook.id)
    expect(stored).toMatchObject({
      enable: false,
      disabledReason: '20 deliveries failed and none succeeded for five days',
    })
    expect(harness.ports.events.published).toMatchObject([{ name: 'CUSTOM->svc::hook_disabled' }])
  })

  it.each([
    ['nineteen fail over six days', 19, Math.floor((6 * day) / 18)],
    ['a hundred fail over four days', 100, Math.floor((4 * day) / 99)],
  ])('a hook that fails for five days stays on while %s', async (_title, times, every) => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook({ answers: [404] })
    await failing(harness, times, every)

    expect(await harness.ports.hooks.read(hook.domain, hook.id)).toMatchObject({ enable: true, failures: times })
  })

  it('the failures of a hook are counted from zero after a success', async () => {
    const harness = aDeliveryHarness()
    const hook = await harness.hook({ answers: [...Array.from({ length: 19 }, () => 404), 200, 404] })
    await failing(harness, 39, Math.ceil((5 * day) / 19))
    expect(await harness.ports.hooks.read(hook.domain, hook.id)).toMatchObject({ enable: true, failures: 19 })

    await failing(harness, 1, 0)

    expect(await harness.ports.hooks.read(hook.domain, hook.id)).toMatchObject({ enable: false })
  })
})
