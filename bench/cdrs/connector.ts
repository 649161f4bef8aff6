/**
 * The connector's side of the CDR bench, as a process of its own as the connector is: the event pipeline with its
 * buffer and its queue adapter. Started with the connector's environment as JSON; a message `{from, count}` is answered
 * with the CPU milliseconds spent once the queue has all those ends. Ends when its parent hangs up.
 */
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { sqsCdrQueue } from '../../adapters/sqs/sqs-cdr-queue.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import { wholePath } from '../esl/whole-path.ts'
import { endOfLeg } from './ends.ts'

/** Ends that wait in the connector, at most: no more than it keeps in memory. */
const maxWaiting = 500

const env = z.parse(z.record(z.string(), z.string()), JSON.parse(process.argv[2] ?? ''))
const context = { env, clock: systemClock, random: systemRandomness }

process.on('message', (message) => {
  const { from, count } = z.parse(z.object({ from: z.int(), count: z.int() }), message)
  void relay(from, count)
})
process.on('disconnect', () => process.exit(0))
process.send?.('up')

async function relay(from: number, count: number): Promise<void> {
  const before = process.cpuUsage()
  await send(from, count)
  const { user, system } = process.cpuUsage(before)
  process.send?.({ cpuMs: (user + system) / 1000 })
}

/** Gives ends to a connector's event side and waits until the queue has all. */
async function send(from: number, count: number): Promise<void> {
  const path = await wholePath('none', sqsCdrQueue(context))
  const { side } = path
  for (let number = from; number < from + count; number += 1) {
    while (side.waiting >= maxWaiting) await pause(1)
    side.accept(endOfLeg(number), 'bench')
  }
  await side.flushed()
  await path.close()
  const { cdrsRelayed, eventsDropped } = side.counters()
  if (cdrsRelayed !== count || eventsDropped !== 0) throw new Error(`${cdrsRelayed} of ${count} ends were relayed`)
}
