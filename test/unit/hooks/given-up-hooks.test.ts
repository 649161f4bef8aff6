import { describe, expect, it } from 'vitest'
import { queuedAttempt } from '../../../core/hooks/delivery/delivery.ts'
import { failedDelivery } from '../../../contracts/workers.ts'
import {
  type DeliveryLab,
  aDeliveryLab,
  anArrival,
  answered,
  checkDeliveries,
} from '../../support/hooks/delivery-lab.ts'
import type { Hook } from '../../../core/hooks/definition/hook.ts'
import { emailSettingsOf } from '../../support/records/records.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const statuses = (lab: DeliveryLab, hook: { id: string }) => lab.delivery(hook).attempts.map(({ status }) => status)

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
    const lab = aDeliveryLab()
    await lab.ports.emailSettings.put(mailSettings)
    const hook = await lab.hook({ answers: [500, 410] })
    const events = [anArrival(), anArrival(), anArrival()]
    for (const event of events) await lab.dispatch([event])

    while ((await lab.workOnce(lab.ports, 1)) > 0);
    await lab.settle()

    const stored = await lab.ports.hooks.read(hook.domain, hook.id)
    expect(stored).toMatchObject({ enable: false, disabledReason: 'its receiver answered 410 Gone', version: 2 })
    expect(stored).not.toHaveProperty('noticeDue')
    expect(lab.requests(hook)).toHaveLength(2)
    expect(
      lab
        .deliveries()
        .map(({ state }) => state)
        .toSorted(),
    ).toEqual(['failed', 'skipped', 'skipped'])
    expect(lab.ports.events.published).toMatchObject([
      {
        name: 'CUSTOM->svc::hook_disabled',
        domain: hook.domain,
        fields: { 'Hook-ID': hook.id, 'Disabled-Reason': 'its receiver answered 410 Gone' },
      },
    ])
    expect(lab.ports.mail.sent.map(({ mail }) => mail)).toMatchObject([
      { from: mailSettings.from, to: mailSettings.from, subject: `A hook of ${hook.domain} was disabled` },
    ])
    checkDeliveries(lab, events, [hook])
  })

  it('an answer of 410 is recorded even if the mail about it can never be sent', async () => {
    const lab = aDeliveryLab()
    // Its password was sealed for somebody else.
    await lab.ports.emailSettings.put(emailSettingsOf())
    const hook = await lab.hook({ answers: [410] })
    await lab.dispatch([anArrival()])
    await lab.settle()

    expect(lab.delivery(hook)).toMatchObject({ state: 'failed', attempts: [{ status: 410 }] })
    expect(lab.messages()).toEqual([])
    expect(await lab.ports.hooks.read(hook.domain, hook.id)).not.toHaveProperty('noticeDue')
  })

  it('an answer of 410 mails the owner once, later if the mail server is away, and publishes one event', async () => {
    const lab = aDeliveryLab()
    await lab.ports.emailSettings.put(mailSettings)
    const hook = await lab.hook({ answers: [410] })
    const failed = { outcome: 'failed', reason: 'timeout' } as const
    lab.ports.mail.answer = () => (lab.ports.mail.sent.length < 3 ? failed : { outcome: 'sent', reply: '250 OK' })
    await lab.dispatch([anArrival(), anArrival()])
    const since = lab.clock.now()
    await lab.settle()

    expect(lab.ports.mail.sent.map(({ mail }) => (mail.date - since) / second)).toEqual([0, 60, 360])
    expect(new Set(lab.ports.mail.sent.map(({ mail }) => mail.id)).size).toBe(1)
    expect(new Set(lab.ports.events.published.map(({ id }) => id)).size).toBe(1)
    expect(lab.requests(hook)).toHaveLength(2)
  })

  it('mails about an answer of 410 keep their waits while other deliveries of the hook end', async () => {
    const lab = aDeliveryLab()
    await lab.ports.emailSettings.put(mailSettings)
    const hook = await lab.hook({ answers: [410] })
    lab.ports.mail.answer = () => ({ outcome: 'failed', reason: 'timeout' })
    const events = Array.from({ length: 7 }, () => anArrival())
    for (const event of events) await lab.dispatch([event])
    const since = lab.clock.now()
    while ((await lab.workOnce(lab.ports, 1)) > 0);
    await lab.settle()

    const minutes = lab.ports.mail.sent.map(({ mail }) => (mail.date - since) / 60_000)
    expect(minutes).toEqual([0, 1, 6, 21, 36])
    checkDeliveries(lab, events, [hook])
  })

  it.each([
    ['changed', (lab: DeliveryLab, hook: Hook) => lab.ports.hooks.replace({ ...hook, noticeDue: false, version: 3 })],
    ['removed', (lab: DeliveryLab, hook: Hook) => lab.ports.hooks.remove({ ...hook, version: 2 })],
  ])('an answer of 410 sends no more mail once the hook was %s', async (_title, change) => {
    const lab = aDeliveryLab()
    await lab.ports.emailSettings.put(mailSettings)
    const hook = await lab.hook({ answers: [410] })
    lab.ports.mail.answer = () => ({ outcome: 'failed', reason: 'timeout' })
    await lab.dispatch([anArrival()])
    await lab.work()
    await change(lab, hook)
    await lab.settle()

    expect(lab.ports.mail.sent).toHaveLength(1)
  })

  it('an answer of 410 does not switch off a hook that its owner changed meanwhile', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    lab.receive(hook.id, () => {
      const [key = ''] = lab.ports.state.hooks.keys()
      lab.ports.state.hooks.set(key, { ...hook, version: 2 })
      return answered(410)
    })
    await lab.dispatch([anArrival()])
    await lab.work()

    expect(await lab.ports.hooks.read(hook.domain, hook.id)).toMatchObject({ enable: true, version: 2 })
    expect(lab.delivery(hook)).toMatchObject({ state: 'failed', attempts: [{ status: 410 }] })
  })

  it('an answer of 410 is reported to the owner later if the event queue does not take the event', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [410] })
    await lab.dispatch([anArrival()])
    lab.ports.events.refuses = () => true
    await lab.work()
    expect(await lab.ports.hooks.read(hook.domain, hook.id)).toMatchObject({ enable: false, noticeDue: true })

    lab.ports.events.refuses = () => false
    lab.moveToNext()
    await lab.work()

    expect(lab.ports.events.published).toHaveLength(1)
    expect(await lab.ports.hooks.read(hook.domain, hook.id)).not.toHaveProperty('noticeDue')
    expect(lab.delivery(hook)).toMatchObject({ state: 'failed', attempts: [{ status: 410 }] })
  })
})

describe('F42 all attempts are used up', () => {
  it('a delivery without attempts left is a dead letter with its attempts, is logged with its domain, and can be resent under its id', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [...Array.from({ length: 12 }, () => 500), 200], retries: 10 })
    await lab.dispatch([anArrival()])
    const from = lab.clock.now()
    await lab.settle()

    expect(await lab.ports.deliveries.listFailed(hook.domain, 9)).toEqual([lab.delivery(hook)])
    expect(lab.delivery(hook)).toMatchObject({ state: 'failed', tries: 11 })
    expect(statuses(lab, hook)).toHaveLength(11)
    // The ten waits of the contract, each with at most a fifth more.
    const whole = 5 + 30 + 300 + 1_800 + 3_600 * (2 + 5 + 10 + 14 + 20 + 24)
    expect((lab.clock.now() - from) / second).toBeGreaterThanOrEqual(whole)
    expect((lab.clock.now() - from) / second).toBeLessThanOrEqual(whole * 1.2 + 11)
    expect(lab.log.lines.filter(({ message }) => message === failedDelivery)).toMatchObject([
      { level: 'warn', keys: { domain: hook.domain, hookId: hook.id } },
    ])

    const { id } = lab.delivery(hook)
    const opened = await lab.ports.deliveries.reopen(lab.delivery(hook), lab.clock.now())
    if (opened === undefined) throw new Error('it has ended')
    lab.put(queuedAttempt(opened, lab.clock.now()))
    await lab.settle()

    expect(lab.delivery(hook)).toMatchObject({ state: 'delivered', tries: 13, earlierTries: 11 })
    expect(new Set(lab.requests(hook).map(({ headers }) => headers['webhook-id']))).toEqual(new Set([id]))
    expect(await lab.ports.deliveries.listFailed(hook.domain, 9)).toEqual([])
  })

  it('a delivery is a dead letter without a retry if the response is final, or if no request can be made of the event', async () => {
    const lab = aDeliveryLab()
    const final = await lab.hook({ answers: [404] })
    const broken = await lab.hook({ customBody: true, rawBody: '{' })
    await lab.dispatch([anArrival()])
    await lab.work()

    expect(lab.delivery(final)).toMatchObject({ state: 'failed', attempts: [{ status: 404 }] })
    expect(lab.delivery(broken)).toMatchObject({ state: 'failed', attempts: [{ reason: 'bad_template' }] })
    expect(lab.messages()).toEqual([])
  })

  it('a delivery is a dead letter once its payload is no longer kept', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [answered(503, { headers: { 'retry-after': '86400' } })], retries: 10 })
    await lab.dispatch([anArrival()])
    await lab.settle()

    expect(lab.requests(hook)).toHaveLength(7)
    expect(lab.delivery(hook)).toMatchObject({ state: 'failed' })
    expect(lab.delivery(hook).attempts.at(-1)).toMatchObject({ reason: 'event_expired' })
  })
})

describe('F43 a hook that fails for five days', () => {
  async function failing(lab: DeliveryLab, times: number, everyMs: number): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      await lab.dispatch([anArrival()])
      await lab.work()
      lab.clock.move(everyMs)
    }
  }

  it('a hook that fails for five days is switched off with a reason and a notice, at the twentieth failed delivery at the earliest', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [404] })
    await failing(lab, 20, Math.ceil((5 * day) / 19))

    const stored = await lab.ports.hooks.read(hook.domain, hook.id)
    expect(stored).toMatchObject({
      enable: false,
      disabledReason: '20 deliveries failed and none succeeded for five days',
    })
    expect(lab.ports.events.published).toMatchObject([{ name: 'CUSTOM->svc::hook_disabled' }])
  })

  it.each([
    ['nineteen fail over six days', 19, Math.floor((6 * day) / 18)],
    ['a hundred fail over four days', 100, Math.floor((4 * day) / 99)],
  ])('a hook that fails for five days stays on while %s', async (_title, times, every) => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [404] })
    await failing(lab, times, every)

    expect(await lab.ports.hooks.read(hook.domain, hook.id)).toMatchObject({ enable: true, failures: times })
  })

  it('the failures of a hook are counted from zero after a success', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [...Array.from({ length: 19 }, () => 404), 200, 404] })
    await failing(lab, 39, Math.ceil((5 * day) / 19))
    expect(await lab.ports.hooks.read(hook.domain, hook.id)).toMatchObject({ enable: true, failures: 19 })

    await failing(lab, 1, 0)

    expect(await lab.ports.hooks.read(hook.domain, hook.id)).toMatchObject({ enable: false })
  })
})
