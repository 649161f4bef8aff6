import type { Engine, Extension } from './engine.ts'
import type { Header } from '../events/engine-event.ts'
import { applications } from './applications.ts'
import { enterState, fireChannel, firePresence } from './channel-events.ts'
import type { Channel } from './channel.ts'
import { type Application, route } from './dialplan.ts'
import { expandVariables } from './expand-variables.ts'
import { endChannel, hangUp } from './flow.ts'

/** The transfers after which the engine ends a call that goes in circles (its `max_forwards`). */
const maxTransfers = 70

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

async function execute(engine: Engine, channel: Channel, application: Application): Promise<void> {
  const { name } = application
  const data = expandVariables(engine, channel, application.data)
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
  for (let made = 0; channel.up && channel.transfer !== undefined; made += 1) {
    if (made >= maxTransfers) return hangUp(engine, channel, 'EXCHANGE_ROUTING_ERROR')
    const target = channel.transfer
    channel.transfer = undefined
    await runSteps(engine, channel, target)
  }
}

async function runSteps(engine: Engine, channel: Channel, target: Extension): Promise<void> {
  enterState(engine, channel, 'CS_ROUTING')
  channel.stateNumber = 4
  firePresence(engine, channel, 'active', 'CS_ROUTING')
  const steps = await route(engine, channel, target)
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
