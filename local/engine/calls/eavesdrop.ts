import type { Engine } from '../engine.ts'
import type { Header } from '../events/engine-event.ts'
import { fireChannel } from './channel-events.ts'
import type { Channel } from './channel.ts'
import { liveChannel, waitOn } from './flow.ts'

/** Listens to another channel until either ends. With no such channel it is over at once (`control/eavesdrop`). */
export async function eavesdrop(engine: Engine, channel: Channel, data: string): Promise<void> {
  const target = liveChannel(engine, data.trim())
  if (target === undefined || target === channel) return
  const before: Header[] = [
    ['Media-Bug-Function', 'eavesdrop'],
    ['Media-Bug-Target', target.uuid],
  ]
  fireChannel(engine, target, 'MEDIA_BUG_START', { before })
  await listen(engine, channel, target)
  fireChannel(engine, target, 'MEDIA_BUG_STOP', { before })
}

/** Waits until the listener is interrupted or the one that is listened to hangs up; a transfer of it changes nothing. */
async function listen(engine: Engine, channel: Channel, target: Channel): Promise<void> {
  let watching = true
  const watch = (): void => {
    if (!watching) return
    if (target.up) target.onInterrupt(watch)
    else channel.interrupt()
  }
  watch()
  await waitOn(engine, channel)
  watching = false
}
