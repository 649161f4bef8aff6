import { describe, expect, test } from 'vitest'
import { memoryDeliveryQueue } from '../support/memory/memory-delivery-queue.ts'
import { sqsDeliveryQueue } from '../../adapters/sqs/sqs-delivery-queue.ts'
import { deliveryMessage } from '../../contracts/messages/delivery.ts'
import type { DeliveryQueue, QueuedDelivery } from '../../core/hooks/delivery/delivery-queue.ts'
import { openCloudQueues } from '../support/stores/cloud-queues.ts'
import { opened } from '../support/processes/opened.ts'

const aQueued = (given: Partial<QueuedDelivery> = {}): QueuedDelivery => ({
  id: `msg_${'a'.repeat(32)}`,
  domain: 'a.example.com',
  hookId: 'a'.repeat(24),
  attempt: 1,
  dueAt: 1,
  delaySeconds: 0,
  ...given,
})

interface Rig {
  readonly queue: DeliveryQueue
  taken(): readonly QueuedDelivery[]
  close(): Promise<void>
}

const kinds: readonly { readonly name: string; readonly open: () => Promise<Rig> }[] = [
  {
    name: 'memory',
    open: async () => {
      const queue = memoryDeliveryQueue()
      return { queue, taken: () => queue.queued, close: async () => {} }
    },
  },
  {
    name: 'SQS',
    open: async () => {
      const sqs = await openSqs()
      return { ...sqs, taken: () => sqs.server.waiting('deliveries').map(({ body }) => asQueued(body)) }
    },
  },
]

describe.each(kinds)('attempts in $name', (kind) => {
  const rig = opened(kind.open)

  test('every attempt is queued, even if there are more than one batch can hold', async () => {
    const attempts = Array.from({ length: 23 }, (_, index) =>
      aQueued({ attempt: index + 1, dueAt: index, requestId: `request-${index}` }),
    )

    expect(await rig().queue.send(attempts)).toEqual([])

    expect(rig().taken()).toEqual(attempts)
  })
})

describe('attempts on the queue', () => {
  const rig = opened(openSqs)

  test('a delayed attempt cannot be received before its delay is over', async () => {
    const { queue, server } = rig()
    server.empty()

    await queue.send([aQueued({ delaySeconds: 900 })])

    expect(server.waiting('deliveries')).toEqual([])
    expect(server.delayed('deliveries')).toBe(1)
  })

  test('waiting deliveries are counted, and those that are still delayed are not', async () => {
    const { queue, server } = rig()
    server.empty()

    await queue.send([aQueued({ id: 'a' }), aQueued({ id: 'b' }), aQueued({ id: 'c', delaySeconds: 900 })])

    expect(await queue.waiting()).toBe(2)
  })

  test('the group is the domain, so that tenants share the queue fairly', async () => {
    const { queue, gate } = rig()
    gate.calls.length = 0

    await queue.send([aQueued({ domain: 'x.test' }), aQueued({ domain: 'y.test' })])

    expect(gate.calls[0]?.input).toMatchObject({
      Entries: [{ MessageGroupId: 'x.test' }, { MessageGroupId: 'y.test' }],
    })
  })

  test('queueing attempts returns those that the queue refused', async () => {
    const { queue, gate } = rig()
    const Failed = [{ Id: '1', Code: 'InternalError', SenderFault: false }]
    gate.answer = () => ({ status: 200, body: { Successful: [{ Id: '0' }], Failed } })

    expect(await queue.send([aQueued({ id: 'first' }), aQueued({ id: 'second' })])).toEqual(['second'])
  })

  test("an attempt that is missing from the queue's response counts as refused", async () => {
    const { queue, gate } = rig()
    gate.answer = () => ({ status: 200, body: { Successful: [{ Id: '1' }] } })

    expect(await queue.send([aQueued({ id: 'first' }), aQueued({ id: 'second' })])).toEqual(['first'])
  })
})

async function openSqs() {
  const cloud = await openCloudQueues()
  return { ...cloud, queue: sqsDeliveryQueue(cloud.context) }
}

function asQueued(body: unknown): QueuedDelivery {
  const { id, domain, hookId, attempt, dueAt, requestId } = deliveryMessage.parse(body)
  return aQueued({ id, domain, hookId, attempt, dueAt, requestId })
}
