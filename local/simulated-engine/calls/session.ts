import type { Engine, Extension } from './engine.ts'
import type { Header } from '../events/engine-event.ts'
import { applications } from './applications.ts'
import { enterState, fireChannel, firePresence } from './channel-events.ts'
import type { Channel } from './channel.ts'
import { type Application, route } from './dialplan.ts'
import { endChannel, hangUp } from './flow.ts'

/** Runs one application and then whatever the channel is transferred to, to the end of the call. */
export async function runApplication(engine: Engine, channel: Channel, application: Application): Promise<void> {
  enterState(engine, channel, 'CS_EXECUTE', 4)
  await execute(engine, channel, application)
  await followTransfers(engine, channel)
  finish(engine, channel)
}

/** Runs an extension and then whatever the channel is transferred to, to the end of the call. */
export async function runExtension(engine: Engine, channel: Channel, target: Extension): Promise<void> {
  await runSteps(engine, channel, target)
  await followTransfers(engine, channel)
  finish(engine, channel)
}

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

/** Runs one application between its two events. */
async function execute(engine: Engine, channel: Channel, { name, data }: Application): Promise<void> {
  const uuid = engine.random.uuid()
  const headers = (response?: string): Header[] => [
    ['Application', name],
    ...(data === '' ? [] : [['Application-Data', data] as const]),
    ...(response === undefined ? [] : [['Application-Response', response] as const]),
    ['Application-UUID', uuid],
  ]
  channel.application = { name, data }
  channel.set({ current_application_response: '', current_application: name, current_application_data: data })
  fireChannel(engine, channel, 'CHANNEL_EXECUTE', { after: headers() })
  const run = applications.get(name)
  if (run === undefined) hangUp(engine, channel, 'DESTINATION_OUT_OF_ORDER')
  else await run(engine, channel, data)
  const response = channel.text('current_application_response')
  fireChannel(engine, channel, 'CHANNEL_EXECUTE_COMPLETE', { after: headers(response === '' ? '_none_' : response) })
}

async function followTransfers(engine: Engine, channel: Channel): Promise<void> {
  while (channel.up && channel.transfer !== undefined) {
    const target = channel.transfer
    channel.transfer = undefined
    await runSteps(engine, channel, target)
  }
}

async function runSteps(engine: Engine, channel: Channel, target: Extension): Promise<void> {
  enterState(engine, channel, 'CS_ROUTING')
  channel.stateNumber = 4
  firePresence(engine, channel, 'active', 'CS_ROUTING')
  const steps = await route(engine, target, channel.uuid)
  if (!channel.up) return
  if (steps === undefined) return hangUp(engine, channel, 'NO_ROUTE_DESTINATION')
  enterState(engine, channel, 'CS_EXECUTE')
  for (const step of steps) {
    if (!channel.up || channel.transfer !== undefined) return
    await execute(engine, channel, step)
  }
}

function finish(engine: Engine, channel: Channel): void {
  hangUp(engine, channel, 'NORMAL_CLEARING')
  endChannel(engine, channel)
}
