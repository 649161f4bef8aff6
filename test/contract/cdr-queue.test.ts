import { describe, expect, test } from 'vitest'
import { memoryCdrQueue } from '../support/memory/memory-cdr-queue.ts'
import { sqsCdrQueue } from '../../adapters/sqs/sqs-cdr-queue.ts'
import { cdrMessage } from '../../contracts/messages/cdr.ts'
import { queues } from '../../contracts/resources.ts'
import type { CdrUpdate, CdrQueue } from '../../core/cdr/cdr-update.ts'
import { aPostUpdate, aRecordingUpdate, anEndUpdate, asUpdate } from '../support/records/cdr-update.ts'
import { openCloudQueues } from '../support/stores/cloud-queues.ts'
import { opened } from '../support/processes/opened.ts'

interface Rig {
  readonly queue: CdrQueue
  taken(): readonly CdrUpdate[]
  close(): Promise<void>
}

const kinds: readonly { readonly name: string; readonly open: () => Promise<Rig> }[] = [
  {
    name: 'memory',
    open: async () => {
      const queue = memoryCdrQueue()
      return { queue, taken: () => queue.queued, close: async () => {} }
    },
  },
  {
    name: 'SQS',
    open: async () => {
      const sqs = await openSqs()
      return { ...sqs, taken: () => sqs.server.waiting('cdrs').map(({ body }) => asUpdate(cdrMessage.parse(body))) }
    },
  },
]

describe.each(kinds)('updates of CDRs in $name', (kind) => {
  const rig = opened(kind.open)

  test('every kind of CDR message is received whole and in order, and a repeated id once', async () => {
    const ends = Array.from({ length: 22 }, (_, index) => anEndUpdate({ uuid: `leg-${index}` }))
    const updates = [...ends, aPostUpdate(), aRecordingUpdate()]

    expect(await rig().queue.send(updates)).toEqual([])
    expect(await rig().queue.send([ends[0] ?? anEndUpdate(), aPostUpdate()])).toEqual([])

    expect(rig().taken()).toEqual(updates)
  })

  test('sending no CDR messages succeeds', async () => {
    expect(await rig().queue.send([])).toEqual([])
  })
})

describe('updates of CDRs on the queue', () => {
  const rig = opened(openSqs)

  test('the message group of a CDR message is its leg, so that the messages of a leg are processed in order', async () => {
    const { queue, server } = fresh()

    await queue.send([anEndUpdate({ uuid: 'leg' }), aPostUpdate({ uuid: 'leg' }), aRecordingUpdate({ uuid: 'other' })])

    expect(server.waiting('cdrs').map(({ group, deduplicationId }) => [group, deduplicationId])).toEqual([
      ['leg', 'cdr:core:leg:CHANNEL_HANGUP_COMPLETE'],
      ['leg', 'post:leg'],
      ['other', 'recording:other'],
    ])
  })

  test.each([
    ['event', anEndUpdate],
    ['post', aPostUpdate],
  ] as const)('an %s above the size of a message goes without its largest values', async (_kind, make) => {
    const { queue, server } = fresh()
    const fields = { variable_sdp: 'x'.repeat(1_500_000) }

    expect(await queue.send([make({ fields })])).toEqual([])

    const [sent] = server.waiting('cdrs').map(({ body }) => asUpdate(cdrMessage.parse(body)))
    expect(JSON.stringify(sent).length).toBeLessThan(210_000)
    expect(sent).toMatchObject({ fields: { 'Caller-Destination-Number': '9196', Truncated: 'true' } })
  })

  test('CDR messages with text that the queue would refuse, or with malformed uuids, are received unchanged', async () => {
    const { queue, server } = fresh()
    const odd = anEndUpdate({ uuid: 'два слова', fields: { variable_odd: 'a\uFFFE\uFFFF\u0000\u000B🙂\u007F' } })

    expect(await queue.send([odd])).toEqual([])

    expect(server.waiting('cdrs').map(({ body }) => asUpdate(cdrMessage.parse(body)))).toEqual([odd])
  })

  test('a queue of CDR updates that cannot be reached is reported as unavailable', async () => {
    const { queue, gate } = fresh()
    gate.answer = () => 'lost'

    await expect(queue.send([anEndUpdate()])).rejects.toMatchObject({ name: 'DomainError', code: 'store_unavailable' })
  })

  test('a message is tried for a day at least before it is given up, and then kept for two weeks', () => {
    const { visibilitySeconds, maxReceives, retentionSeconds } = queues.cdrs

    expect(visibilitySeconds * maxReceives).toBeGreaterThan(24 * 3_600)
    expect(retentionSeconds).toBe(14 * 24 * 3_600)
  })

  function fresh() {
    const { server, gate } = rig()
    server.empty()
    gate.answer = (_call, forward) => forward()
    return rig()
  }
})

async function openSqs() {
  const cloud = await openCloudQueues()
  return { ...cloud, queue: sqsCdrQueue(cloud.context) }
}
