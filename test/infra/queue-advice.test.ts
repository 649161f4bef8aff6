import { describe, expect, it } from 'vitest'
import { type QueueName, queues } from '../../contracts/resources.ts'
import { workers } from '../../contracts/workers.ts'

/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html */
const advice = { timesOfFunction: 6, tries: 5 }

interface Departure {
  /** The visibility as a multiple of the time of the function, and the tries. */
  readonly times?: number
  readonly tries?: number
  readonly why: string
}

const idempotent = 'A message that returns early is harmless: its record decides what is still to be done.'

/** Each departure from the advice, with its number once more and the reason. */
const departures: Readonly<Partial<Record<QueueName, Departure>>> = {
  commands: {
    tries: 3,
    why: 'A connector receives it, no function. It lives for 60 s, and what a dying connector had must run within 20 s.',
  },
  events: {
    times: 2,
    why: `The lane of a killed function rests until its messages return: three minutes would delay every event of it. ${idempotent}`,
  },
  deliveries: { times: 2, why: `A retry that a killed function had would be late by six minutes. ${idempotent}` },
  cdrs: {
    times: 1.5,
    why: `A CDR that waits six minutes is missing from searches. Writes to the index are conditional. ${idempotent}`,
  },
  exports: {
    times: 1.2,
    why: `A run ends within its 300 s; after a kill, half an hour of rest would hold the export up. ${idempotent}`,
  },
  erasures: { times: 1.2, why: `As for exports: a run continues where the last one ended. ${idempotent}` },
  cleanups: { times: 1.2, why: `As for exports: a run continues where the last one ended. ${idempotent}` },
}

describe.each(Object.keys(queues).filter((name): name is QueueName => name in queues))('the queue %s', (name) => {
  const { visibilitySeconds, maxReceives } = queues[name]
  const worker = workers.find(({ queue }) => queue === name)
  const times = worker === undefined ? undefined : visibilitySeconds / worker.timeoutSeconds
  const departure = departures[name]

  it("the queue's messages stay invisible for six times the function's timeout, or a reason is given", () => {
    if (times === undefined) return
    if (times >= advice.timesOfFunction) expect(departure?.times).toBeUndefined()
    else expect(departure?.times).toBe(times)
  })

  it("the queue's messages are tried at least five times, or a reason is given", () => {
    if (maxReceives >= advice.tries) expect(departure?.tries).toBeUndefined()
    else expect(departure?.tries).toBe(maxReceives)
  })

  it("the queue's messages are kept for longer than its function can be throttled", () => {
    const { retentionSeconds } = queues[name]

    expect(visibilitySeconds * Math.min(maxReceives, advice.tries)).toBeLessThanOrEqual(retentionSeconds)
  })
})

it('every departure from the advice for queues has a reason', () => {
  for (const { why } of Object.values(departures)) expect(why.length).toBeGreaterThan(40)
})
