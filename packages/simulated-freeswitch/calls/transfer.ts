import type { Engine, Extension } from './engine.ts'
import type { Channel } from './channel.ts'

/** Sends a channel somewhere else in the dialplan. Whatever it runs ends. */
export function transfer(engine: Engine, channel: Channel, target: Extension): void {
  const { profile } = channel
  const when = Math.trunc(engine.timers.now() / 1000)
  const source = `${when}:${engine.random.uuid()}:bl_xfer:${target.extension}/${target.context}/XML`
  const history = channel.variables.get('transfer_history')
  channel.profile = {
    ...profile,
    logicalDirection: 'inbound',
    dialplan: 'XML',
    rdnis: profile.destinationNumber,
    destinationNumber: target.extension,
    transferSource: source,
    context: target.context,
    index: profile.index + 1,
    createdAt: Math.round(engine.timers.now() * 1000),
  }
  channel.set({
    max_forwards: '70',
    transfer_history: history === undefined ? source : [[history].flat(), source].flat(),
  })
  channel.set({ transfer_source: source })
  channel.transfer = target
  channel.stateNumber = 2
  channel.interrupt()
}
