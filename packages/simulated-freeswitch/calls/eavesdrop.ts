import type { Engine } from './engine.ts'
import type { Header } from '../events/engine-event.ts'
import { fireChannel } from './channel-events.ts'
import type { Channel } from './channel.ts'
import { liveChannel, waitOn, whenHungUp } from './flow.ts'

/** Listens to another channel until either ends. With no such channel it is over at once (`control/eavesdrop`). */
export async function eavesdrop(engine: Engine, channel: Channel, data: string): Promise<void> {
  const target = liveChannel(engine, data.trim())
  if (target === undefined || target === channel) return
  const before: Header[] = [
    ['Media-Bug-Function', 'eavesdrop'],
    ['Media-Bug-Target', target.uuid],
  ]
  fireChannel(engine, target, 'MEDIA_BUG_START', { before })
  let listening = true
  const stop = () => {
    if (!listening) return
    listening = false
    fireChannel(engine, target, 'MEDIA_BUG_STOP', { before })
    channel.interrupt()
  }
  whenHungUp(target, stop)
  await waitOn(engine, channel)
  stop()
}
