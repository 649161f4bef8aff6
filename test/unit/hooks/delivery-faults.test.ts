import { describe, expect, it } from 'vitest'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { hookClientLimits, hookClientOver } from '../../../adapters/http/guarded-hook-client.ts'
import { failedDelivery } from '../../../contracts/metrics.ts'
import { queues } from '../../../contracts/resources.ts'
import { DomainError } from '../../../core/errors.ts'
import { queuedAttempt } from '../../../core/hooks/queued-attempt.ts'
import { requeueLimits } from '../../../core/hooks/requeue-deliveries.ts'
import { resendDelivery } from '../../../core/hooks/resend-delivery.ts'
import { handler as deliver } from '../../../functions/hooks/deliver.ts'
import { handler as hookDispatch } from '../../../functions/hooks/hook-dispatch.ts'
import { aContext } from '../../support/api.ts'
import { type DeliveryLab, aDeliveryLab, anArrival, answered, checkDeliveries } from '../../support/delivery-lab.ts'
import { type SinkScript, startHookSink } from '../../support/hook-sink.ts'
import type { HookRequest } from '../../../core/hooks/hook-client.ts'
import type { Hook } from '../../../core/hooks/hook.ts'
import { aBatch } from '../../support/queue-batch.ts'
import { emailSettingsOf } from '../../support/records.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const statuses = (lab: DeliveryLab, hook: { id: string }) => lab.delivery(hook).attempts.map(({ status }) => status)

/** The seconds between one attempt and the next. */
function waits(lab: DeliveryLab, hook: { id: string }): number[] {
  const times = lab.delivery(hook).attempts.map(({ at }) => at)
  return times.slice(1).map((at, index) => (at - (times[index] ?? 0)) / second)
}

describe('F32 the same event from the queue again', () => {
  it('at once and ten minutes later is one delivery for each hook, under one id in every attempt', async () => {
    const lab = aDeliveryLab()
    const hooks = [await lab.hook({ answers: [500, 500, 200] }), await lab.hook()]
    const event = anArrival()

    await Promise.all([lab.dispatch([event]), lab.dispatch([event])])
    await lab.work()
    await lab.dispatch([event])
    lab.clock.move(10 * minute)
    await lab.dispatch([event])
    await lab.settle()
    await lab.dispatch([event])
    await lab.work()

    checkDeliveries(lab, [event], hooks)
    expect(hooks.map((hook) => new Set(lab.requests(hook).map(({ headers }) => headers['webhook-id'])).size)).toEqual([
      1, 1,
    ])
  })

  it('and every message of its attempts again, one after another, makes no attempt twice, and one chain goes on', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500], retries: 3 })
    await lab.dispatch([anArrival()])

    while (lab.delivery(hook).state === 'pending') {
      lab.repeat()
      expect(lab.messages().length).toBeLessThanOrEqual(4)
      while ((await lab.workOnce(lab.ports, 1)) > 0);
      lab.moveToNext()
    }

    expect(lab.requests(hook)).toHaveLength(4)
    expect(lab.delivery(hook).attempts).toHaveLength(4)
  })

  it('and two runs of one attempt beside each other are both on the log, and one of them goes on', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [503, 503, 200] })
    await lab.dispatch([anArrival()])
    lab.repeat()

    await lab.work()

    expect(statuses(lab, hook)).toEqual([503, 503])
    expect(lab.delivery(hook)).toMatchObject({ state: 'pending', tries: 1 })
    expect(lab.messages()).toHaveLength(1)
    await lab.settle()
    expect(statuses(lab, hook)).toEqual([503, 503, 200])
  })

  it('and of two runs beside each other the success counts, whichever is first', async () => {
    for (const answers of [
      [200, 500],
      [500, 200],
      [404, 200],
    ]) {
      const lab = aDeliveryLab()
      const hook = await lab.hook({ answers })
      await lab.dispatch([anArrival()])
      lab.repeat()
      await lab.work()
      await lab.settle()

      expect(lab.delivery(hook)).toMatchObject({ state: 'delivered', attempts: answers.map((status) => ({ status })) })
      expect(lab.requests(hook)).toHaveLength(2)
    }
  })
})

describe('F33 one bad message in a batch of ten', () => {
  it('comes again alone; the nine others are delivered', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    const events = Array.from({ length: 9 }, () => anArrival())
    for (const event of events) await lab.dispatch([event])
    const messages = lab.messages().map((body) => Object.assign({ version: 1 }, body))

    const batch = aBatch([...messages.slice(0, 4), 'not JSON', ...messages.slice(4)])
    const { batchItemFailures } = await deliver.over(lab.ports, lab.tools)(batch, aContext)

    expect(batchItemFailures).toEqual([{ itemIdentifier: 'message-4' }])
    checkDeliveries(lab, events, [hook])
  })

  it('of events comes again alone; the nine others are dispatched', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    const events = Array.from({ length: 9 }, () => anArrival())
    const bodies = events.map((event) => ({ version: 1, ...event }))

    const batch = aBatch([...bodies.slice(0, 4), '{"version":2}', ...bodies.slice(4)])
    const { batchItemFailures } = await hookDispatch.over(lab.ports, lab.tools)(batch, aContext)

    expect(batchItemFailures).toEqual([{ itemIdentifier: 'message-4' }])
    await lab.settle()
    checkDeliveries(lab, events, [hook])
  })
})

describe('F33 an outage of the stores and a message that nobody can read', () => {
  const { visibilitySeconds, maxReceives, retentionSeconds } = queues.events

  it('are told apart by time: events outlast more than an hour, and the message ends among the dead letters', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    const event = anArrival()
    const away = () => Promise.reject(new DomainError('store_unavailable', 'away'))
    const broken = { ...lab.ports, eventLog: { ...lab.ports.eventLog, append: away } }

    let receives = 0
    for (const until = lab.clock.now() + hour; lab.clock.now() < until; lab.clock.move(visibilitySeconds * second)) {
      expect(await lab.dispatch([event], broken)).toBe(1)
      receives += 1
    }
    expect(receives).toBeLessThan(maxReceives)
    expect(await lab.dispatch([event])).toBe(0)
    await lab.settle()

    checkDeliveries(lab, [event], [hook])
    expect(maxReceives * visibilitySeconds, 'before the queue drops it').toBeLessThan(retentionSeconds / 2)
  })
})

describe('F35 a receiver that answers 500, then 200', () => {
  it('gets the attempts at the waits of the contract, and each is on the log as it was', async () => {
    const lab = aDeliveryLab()
    const body = 'x'.repeat(2_000)
    const hook = await lab.hook({ answers: [answered(500, { body }), 502, 503, answered(200, { body: 'thanks' })] })
    const event = anArrival()
    await lab.dispatch([event])
    await lab.settle()

    const planned = [5, 30, 300]
    for (const [index, wait] of waits(lab, hook).entries()) {
      expect(wait).toBeGreaterThanOrEqual(planned[index] ?? 0)
      // Jitter, and the whole seconds of the queue.
      expect(wait).toBeLessThanOrEqual((planned[index] ?? 0) * 1.2 + 1)
    }
    expect(lab.delivery(hook).attempts).toMatchObject([
      { status: 500, reason: 'status 500', replySnippet: 'x'.repeat(1024) },
      { status: 502 },
      { status: 503 },
      { status: 200, replySnippet: 'thanks' },
    ])
    checkDeliveries(lab, [event], [hook])
  })

  it('waits longer than a message can be held back by messages that are queued again', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500, 200], delay: 3_600, retries: 1 })
    await lab.dispatch([anArrival()])
    await lab.work()

    const hops: number[] = []
    while (lab.delivery(hook).state === 'pending') {
      hops.push(...lab.messages().map(({ delaySeconds }) => delaySeconds))
      lab.moveToNext()
      await lab.work()
    }

    expect(hops.every((delay) => delay <= 900)).toBe(true)
    expect(hops.length).toBeGreaterThanOrEqual(4)
    expect(lab.requests(hook)).toHaveLength(2)
    expect(waits(lab, hook)[0]).toBeGreaterThanOrEqual(3_600)
  })
})

/** A receiver on a socket, and the real client with timers that run when the test says so. */
async function aWire(script: SinkScript) {
  const sink = await startHookSink(script)
  const timers = new Set<{ readonly ms: number; readonly run: () => void }>()
  const client = hookClientOver({
    clock: { now: () => 0 },
    guard: addressGuard('127.0.0.0/8'),
    resolve: () => Promise.reject(new Error('only addresses are used')),
    schedule: (ms, run) => {
      const timer = { ms, run }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    limits: hookClientLimits,
  })
  return {
    sink,
    client,
    action: { type: 'web' as const, method: 'POST', url: sink.url() },
    /** Ends every request that goes on: its 15 s are over. */
    endTime: () => {
      for (const { ms, run } of timers) if (ms === 15_000) run()
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await sink.close()
    },
  }
}

describe('F36 a receiver that never answers', () => {
  it('fails its own attempt after 15 s; the other hooks of the batch have long been called', async () => {
    await using silent = await aWire(() => {})
    const lab = aDeliveryLab()
    const slow = await lab.hook({ action: silent.action })
    const fast = await lab.hook()
    await lab.dispatch([anArrival()])
    const asked = silent.sink.nextRequest()
    const send = (request: HookRequest) =>
      request.url === silent.action.url ? silent.client.send(request) : lab.ports.hookClient.send(request)

    const working = lab.workOnce({ ...lab.ports, hookClient: { ...lab.ports.hookClient, send } })
    await asked
    expect(lab.delivery(fast)).toMatchObject({ state: 'delivered' })
    silent.endTime()
    await working

    expect(lab.delivery(slow)).toMatchObject({ state: 'pending', attempts: [{ reason: 'timeout' }] })
  })
})

describe('F37 a receiver that answers byte by byte', () => {
  it('fails its attempt when 15 s are over, however many bytes came', async () => {
    const began = Promise.withResolvers<void>()
    await using wire = await aWire((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n')
      socket.write('x', () => began.resolve())
    })
    const lab = aDeliveryLab()
    const hook = await lab.hook({ action: wire.action })
    await lab.dispatch([anArrival()])

    const send = (request: HookRequest) => wire.client.send(request)
    const working = lab.workOnce({ ...lab.ports, hookClient: { ...lab.ports.hookClient, send } })
    await began.promise
    wire.endTime()
    await working

    expect(lab.delivery(hook)).toMatchObject({ state: 'pending', attempts: [{ reason: 'timeout' }] })
  })
})

describe('F38 a receiver that answers without an end', () => {
  it('is read to 20 KB, its connection is closed, its status decides, and 1 KiB is kept', async () => {
    await using wire = await aWire((socket) => {
      const more = () => void (socket.writable && socket.write('y'.repeat(65_536), more))
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 999999999999\r\n\r\n', more)
    })
    const lab = aDeliveryLab()
    const hook = await lab.hook({ action: wire.action })
    await lab.dispatch([anArrival()])
    const closed = wire.sink.nextClose()

    const send = (request: HookRequest) => wire.client.send(request)
    await lab.workOnce({ ...lab.ports, hookClient: { ...lab.ports.hookClient, send } })
    await closed

    expect(lab.delivery(hook)).toMatchObject({
      state: 'delivered',
      attempts: [{ status: 200, replySnippet: 'y'.repeat(1024) }],
    })
  })
})

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
  it('switches its hook off at once and tells the owner once; what waits for it is dropped', async () => {
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

  it('is recorded all the same where its mail can never be sent', async () => {
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

  it('mails its owner later where the mail server is away, once, and tells of it by one event', async () => {
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

  it('keeps to the waits between its mails while other deliveries of the hook end', async () => {
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
  ])('mails nobody any more once the hook was %s', async (_title, change) => {
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

  it('does not switch off a hook that its owner changed meanwhile', async () => {
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

  it('tells the owner later where the event queue does not take the event', async () => {
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

describe('F40 a 429 or 503 with Retry-After', () => {
  it.each([
    ['seconds, later than planned', '120', 120, 121],
    ['seconds, earlier than planned', '1', 5, 7],
    ['a date', (now: number) => new Date(now + 90 * second).toUTCString(), 89, 92],
    ['a negative number', '-5', 5, 7],
    ['ten years', '315360000', 86_400, 86_401],
    ['text', 'soon', 5, 7],
  ])(
    '%s: the next attempt is at the later of header and schedule, a day at most',
    async (_title, header, least, most) => {
      for (const status of [429, 503]) {
        const lab = aDeliveryLab()
        const text = typeof header === 'string' ? header : header(lab.clock.now())
        const hook = await lab.hook({ answers: [answered(status, { headers: { 'retry-after': text } }), 200] })
        await lab.dispatch([anArrival()])
        await lab.settle()

        expect(statuses(lab, hook)).toEqual([status, 200])
        expect(waits(lab, hook)[0]).toBeGreaterThanOrEqual(least)
        expect(waits(lab, hook)[0]).toBeLessThanOrEqual(most)
      }
    },
  )
})

describe('F41 a receiver that answers 3xx', () => {
  it.each([301, 302, 307, 308])('with %i: a failed attempt with its status, and no other', async (status) => {
    const lab = aDeliveryLab()
    const other = await lab.hook({ event: 'DTMF' })
    const location = `https://receiver.example.com/${other.id}`
    const hook = await lab.hook({ answers: [answered(status, { headers: { location } })] })
    await lab.dispatch([anArrival()])
    await lab.settle()

    expect(lab.delivery(hook)).toMatchObject({ state: 'failed', attempts: [{ status, reason: `status ${status}` }] })
    expect(lab.requests(other)).toEqual([])
  })
})

describe('F42 all attempts are used up', () => {
  it('is a dead letter with its attempts, told in the log by its domain, and can be sent again under its id', async () => {
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

  it('is so without a retry where the answer is final, and where nothing can be made of the event', async () => {
    const lab = aDeliveryLab()
    const final = await lab.hook({ answers: [404] })
    const broken = await lab.hook({ customBody: true, rawBody: '{' })
    await lab.dispatch([anArrival()])
    await lab.work()

    expect(lab.delivery(final)).toMatchObject({ state: 'failed', attempts: [{ status: 404 }] })
    expect(lab.delivery(broken)).toMatchObject({ state: 'failed', attempts: [{ reason: 'bad_template' }] })
    expect(lab.messages()).toEqual([])
  })

  it('is so when what it carries is kept no more', async () => {
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

  it('is switched off with a reason and a notice at the twentieth failed delivery or later, not before', async () => {
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
  ])('stays on while %s', async (_title, times, every) => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [404] })
    await failing(lab, times, every)

    expect(await lab.ports.hooks.read(hook.domain, hook.id)).toMatchObject({ enable: true, failures: times })
  })

  it('is counted anew from a success on', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [...Array.from({ length: 19 }, () => 404), 200, 404] })
    await failing(lab, 39, Math.ceil((5 * day) / 19))
    expect(await lab.ports.hooks.read(hook.domain, hook.id)).toMatchObject({ enable: true, failures: 19 })

    await failing(lab, 1, 0)

    expect(await lab.ports.hooks.read(hook.domain, hook.id)).toMatchObject({ enable: false })
  })
})

describe('F44 a slow receiver among fast ones', () => {
  it('is called from a queue of its own once it is known as slow, until it is fast again', async () => {
    const lab = aDeliveryLab()
    let takesMs = 14_000
    const slow = await lab.hook()
    const fast = await lab.hook()
    lab.receive(slow.id, () => {
      lab.clock.move(takesMs)
      return answered(200)
    })
    await lab.dispatch([anArrival()])
    while ((await lab.workOnce(lab.ports, 1)) > 0);
    expect(await lab.ports.hooks.read(slow.domain, slow.id)).toMatchObject({ slowAt: lab.clock.now() })

    await lab.dispatch([anArrival()])
    expect(lab.messages().map(({ hookId, isSlow }) => ({ hookId, isSlow }))).toEqual(
      expect.arrayContaining([
        { hookId: slow.id, isSlow: true },
        { hookId: fast.id, isSlow: undefined },
      ]),
    )
    takesMs = 900
    while ((await lab.workOnce(lab.ports, 1)) > 0);
    expect(await lab.ports.hooks.read(slow.domain, slow.id), 'it may be slow now and then').toHaveProperty('slowAt')
    lab.clock.move(minute)
    await lab.dispatch([anArrival()])
    while ((await lab.workOnce(lab.ports, 1)) > 0);

    expect(await lab.ports.hooks.read(slow.domain, slow.id)).not.toHaveProperty('slowAt')
    expect(lab.deliveries().every(({ state }) => state === 'delivered')).toBe(true)
  })

  it('is not called for what was queued among the others before it was known as slow: that moves over', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    await lab.dispatch([anArrival()])
    await lab.ports.hooks.noteSpeed(hook, lab.clock.now())

    await lab.workOnce()

    expect(lab.requests(hook)).toEqual([])
    expect(lab.messages()).toMatchObject([{ hookId: hook.id, attempt: 1, isSlow: true }])
    await lab.work()
    expect(lab.delivery(hook).state).toBe('delivered')
  })
})

describe('F48 a hook that changes while deliveries wait for it', () => {
  it('gets the next attempt at its new address, with its new secret', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500] })
    const moved = await lab.hook({ event: 'DTMF' })
    await lab.dispatch([anArrival()])
    await lab.work()
    await lab.ports.hooks.replace({ ...hook, action: moved.action, secrets: [], version: 2 })
    await lab.settle()

    expect(lab.requests(hook)).toHaveLength(1)
    expect(lab.requests(moved)).toHaveLength(1)
    expect(lab.requests(moved)[0]?.headers['webhook-signature']).toBe('')
    expect(lab.delivery(hook).state).toBe('delivered')
  })

  it.each(['hook_deleted', 'hook_disabled'] as const)(
    'sends nothing any more (%s), and the delivery is skipped',
    async (reason) => {
      const lab = aDeliveryLab()
      const hook = await lab.hook({ answers: [500] })
      await lab.dispatch([anArrival()])
      await lab.work()
      if (reason === 'hook_deleted') await lab.ports.hooks.remove(hook)
      else await lab.ports.hooks.replace({ ...hook, enable: false, version: 2 })
      await lab.settle()

      expect(lab.requests(hook)).toHaveLength(1)
      expect(lab.delivery(hook)).toMatchObject({ state: 'skipped', attempts: [{ status: 500 }, { reason }] })
    },
  )
})

describe('F49 a signing secret that is rotated between attempts', () => {
  it('signs beside the new one, which is first, until its time is over, and not after', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500], retries: 2, delay: 3_600 })
    await lab.dispatch([anArrival()])
    await lab.work()
    const { sealed = '' } = hook.secrets[0] ?? {}
    const fresh = await lab.ports.secretBox.seal(new Uint8Array(32).fill(9), `hook-secret:${hook.domain}:${hook.id}`)
    const until = lab.clock.now() + 2 * hour
    await lab.ports.hooks.replace({ ...hook, secrets: [{ sealed: fresh }, { sealed, until }], version: 2 })
    await lab.settle()

    const signatures = lab.requests(hook).map(({ headers }) => headers['webhook-signature']?.split(' ') ?? [])
    expect(signatures.map((each) => each.length)).toEqual([1, 2, 1])
  })
})

describe('F50 deliveries out of order', () => {
  it('tell their order by a number that rises with the events of a call, the same in every attempt', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500, 200] })
    const uuid = '6f1b8a52-58f7-4f3f-9d5a-2b7f9b4f2d10'
    const events = Array.from({ length: 5 }, () => anArrival({ uuid }))
    for (const event of events) await lab.dispatch([event])
    while ((await lab.workOnce(lab.ports, 1)) > 0);
    await lab.settle()

    const byEvent = lab.requests(hook).map(({ headers, body }) => ({
      sequence: Number(headers['webhook-sequence']),
      id: headers['webhook-id'],
      time: body.includes('data'),
    }))
    expect(byEvent.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 1])
    expect(byEvent[0]?.id).toBe(byEvent[5]?.id)
    const ordered = lab.deliveries().toSorted((a, b) => a.sequence - b.sequence)
    expect(ordered.map(({ eventId }) => eventId)).toEqual(events.map(({ id }) => id))
  })
})

describe('F51 a backlog', () => {
  it('is not queued again and again while it waits to be taken', async () => {
    const lab = aDeliveryLab()
    await lab.hook()
    for (let count = 0; count < 30; count += 1) await lab.dispatch([anArrival()])
    lab.ports.deliveryQueue.backlog = requeueLimits.backlog + 1
    lab.clock.move(2 * hour)

    await lab.sweep()

    expect(lab.messages()).toHaveLength(30)
    expect(lab.log.lines.at(-1)).toMatchObject({ keys: { requeued: 0, stoppedBy: 'backlog' } })
  })

  it('of slow receivers is not queued again either, and what others lost meanwhile is', async () => {
    const lab = aDeliveryLab()
    const [slow, other] = [await lab.hook({ slowAt: 1 }), await lab.hook({ event: 'DTMF' })]
    for (let count = 0; count < 120; count += 1) await lab.dispatch([anArrival()])
    const plans = lab.deliveries().map(({ nextAttemptAt }) => nextAttemptAt)
    lab.lose()
    await lab.dispatch([{ ...anArrival(), name: 'DTMF' }])
    lab.lose()
    lab.ports.deliveryQueue.slowBacklog = requeueLimits.backlog + 1
    lab.clock.move(2 * hour)

    await lab.sweep()

    expect(lab.messages()).toMatchObject([{ hookId: other.id }])
    expect(
      lab
        .deliveries()
        .filter(({ hookId }) => hookId === slow.id)
        .map(({ nextAttemptAt }) => nextAttemptAt),
    ).toEqual(plans)
  })

  it.each([
    ['of some', { backlog: requeueLimits.backlog + 1 }, undefined],
    ['of slow receivers', { slowBacklog: requeueLimits.backlog + 1 }, 1],
  ])('%s that never ends keeps what the queue dropped from nobody', async (_title, waiting, slowAt) => {
    expect([queues.deliveries, queues.slowDeliveries].map((queue) => queue.retentionSeconds * second)).toEqual([
      requeueLimits.droppedMs,
      requeueLimits.droppedMs,
    ])
    const lab = aDeliveryLab()
    const hook = await lab.hook(slowAt === undefined ? {} : { slowAt })
    await lab.dispatch([anArrival()])
    lab.lose()
    Object.assign(lab.ports.deliveryQueue, waiting)
    lab.clock.move(requeueLimits.droppedMs)
    await lab.sweep()
    expect(lab.messages()).toEqual([])

    lab.clock.move(1)
    await lab.sweep()

    expect(lab.messages()).toMatchObject([{ hookId: hook.id, attempt: 1 }])
  })

  it('of slow receivers that is lost is queued among the slow ones', async () => {
    const lab = aDeliveryLab()
    await lab.hook({ slowAt: 1 })
    await lab.dispatch([anArrival()])
    lab.lose()
    lab.clock.move(2 * hour)

    await lab.sweep()

    expect(lab.messages()).toMatchObject([{ isSlow: true }])
  })

  it('is dropped by the queue after four days, and what was dropped is queued again', async () => {
    expect(queues.deliveries.retentionSeconds).toBe(4 * 86_400)
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    const events = Array.from({ length: 250 }, () => anArrival())
    for (const event of events) await lab.dispatch([event])
    lab.clock.move(4 * day)
    lab.lose()

    await lab.sweep()

    expect(lab.messages()).toHaveLength(250)
    await lab.settle()
    checkDeliveries(lab, events, [hook])
    expect(lab.requests(hook)).toHaveLength(250)
  })
})

describe('a lost attempt', () => {
  it('is found when it is overdue by five minutes, by one of two searches at once, and not before', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    await lab.dispatch([anArrival()])
    lab.lose()
    lab.clock.move(5 * minute)
    await lab.sweep()
    expect(lab.messages()).toEqual([])

    lab.clock.move(1)
    await Promise.all([lab.sweep(), lab.sweep()])

    expect(lab.messages()).toHaveLength(1)
    await lab.work()
    expect(lab.delivery(hook).state).toBe('delivered')
  })

  it('between the record of one and the message of the next is made up for when the message comes again', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500, 200] })
    await lab.dispatch([anArrival()])
    lab.ports.deliveryQueue.refuses = () => true
    await lab.work()
    expect(lab.delivery(hook)).toMatchObject({ state: 'pending', tries: 1 })
    expect(lab.messages()).toMatchObject([{ attempt: 1 }])

    lab.ports.deliveryQueue.refuses = () => false
    lab.moveToNext()
    await lab.workOnce()

    expect(lab.messages()).toMatchObject([{ attempt: 2 }])
    await lab.work()
    expect(statuses(lab, hook)).toEqual([500, 200])
  })

  it('that turns up after all does nothing: the plan that replaced its own counts', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook({ answers: [500, 200] })
    await lab.dispatch([anArrival()])
    lab.clock.move(6 * minute)
    await lab.sweep()
    expect(lab.messages()).toHaveLength(2)

    await lab.work()

    expect(lab.requests(hook)).toHaveLength(1)
    await lab.settle()
    expect(lab.requests(hook)).toHaveLength(2)
  })

  it('is found, too, after its message was given up by the queue', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    await lab.dispatch([anArrival()])
    const broken = {
      ...lab.ports,
      secretBox: { ...lab.ports.secretBox, open: () => Promise.reject(new Error('gone')) },
    }
    while (lab.dead.length === 0) {
      lab.moveToNext()
      await lab.workOnce(broken)
    }
    expect(lab.messages()).toEqual([])

    await lab.settle()

    expect(lab.delivery(hook)).toMatchObject({ state: 'delivered', begun: {} })
    expect(lab.requests(hook)).toHaveLength(1)
  })

  it('that ends its function each time fails for good after twenty times, and the log tells of each', async () => {
    const lab = aDeliveryLab()
    const hook = await lab.hook()
    await lab.dispatch([anArrival()])
    const deadly = {
      ...lab.ports,
      hookClient: { ...lab.ports.hookClient, send: () => Promise.reject(new Error('killed')) },
    }
    for (let step = 0; lab.delivery(hook).state === 'pending' && step < 200; step += 1) {
      if (!lab.moveToNext()) {
        lab.clock.move(6 * minute)
        await lab.sweep()
      }
      await lab.workOnce(deadly)
    }

    expect(lab.delivery(hook)).toMatchObject({ state: 'failed', attempts: [{ reason: 'interrupted' }] })
    expect(Object.keys(lab.delivery(hook).begun)).toHaveLength(20)
    const { id } = lab.delivery(hook)
    await resendDelivery({ ...lab.ports, clock: lab.clock }, { domain: hook.domain, hookId: hook.id, id })
    await lab.work()

    expect(lab.delivery(hook), 'sent again it has all its runs before it').toMatchObject({
      state: 'delivered',
      begun: {},
    })
    const reasons = lab.delivery(hook).attempts.map(({ reason }) => reason)
    expect(reasons).toEqual([...Array.from({ length: 21 }, () => 'interrupted'), undefined])
  })

  it('is found though a delivery and a hook of others cannot be read; they are told in the log', async () => {
    const lab = aDeliveryLab()
    const [hook, broken] = [await lab.hook(), await lab.hook()]
    await lab.dispatch([anArrival()])
    lab.lose()
    lab.clock.move(6 * minute)
    const unreadable = () => Promise.reject(new DomainError('internal_error', 'a stored record cannot be read'))
    const { hooks, deliveries } = lab.ports
    const read: typeof hooks.read = (domain, id) => (id === broken.id ? unreadable() : hooks.read(domain, id))
    const listDue: typeof deliveries.listDue = async (...given) => {
      return { ...(await deliveries.listDue(...given)), unreadable: ['some delivery'] }
    }

    await lab.sweep({ ...lab.ports, hooks: { ...hooks, read }, deliveries: { ...deliveries, listDue } })

    expect(new Set(lab.messages().map(({ hookId }) => hookId))).toEqual(new Set([hook.id, broken.id]))
    expect(lab.log.lines.find(({ message }) => message === 'stored records cannot be read')).toMatchObject({
      level: 'error',
      keys: { count: 2 },
    })
  })

  it('is looked for page by page, until the most of one run', async () => {
    const lab = aDeliveryLab()
    await lab.hook()
    const few = requeueLimits.page * 2 + 1
    for (let count = 0; count < few; count += 1) await lab.dispatch([anArrival()])
    lab.lose()
    lab.clock.move(6 * minute)
    let reads = 0
    const counted = {
      ...lab.ports.deliveries,
      listDue: (...given: Parameters<typeof lab.ports.deliveries.listDue>) => {
        reads += 1
        return lab.ports.deliveries.listDue(...given)
      },
    }

    await lab.sweep({ ...lab.ports, deliveries: counted })

    expect(reads).toBe(3)
    expect(lab.messages()).toHaveLength(few)
  })
})
