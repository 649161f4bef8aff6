import { createHash } from 'node:crypto'
import type { Engine } from '../calls/engine.ts'
import { countMessages, deleteMessages } from '../calls/mailbox.ts'
import { originate } from './originate.ts'
import { show } from './show.ts'
import { sofia, sofiaContact } from './sofia.ts'
import { gatewayData } from './sofia-gateways.ts'
import * as system from './system.ts'
import * as uuid from './uuid-commands.ts'

type ApiCommand = (engine: Engine, argument: string) => string | Promise<string>

/** The api commands of the simulated engine; to any other it answers as the real one does to an unknown command. */
const commands = new Map<string, ApiCommand>([
  ['originate', originate],
  ['uuid_kill', uuid.uuidKill],
  ['uuid_hold', uuid.uuidHold],
  ['uuid_exists', uuid.uuidExists],
  ['uuid_dump', uuid.uuidDump],
  ['uuid_getvar', uuid.uuidGetVariable],
  ['uuid_setvar', uuid.uuidSetVariable],
  ['uuid_setvar_multi', uuid.uuidSetVariables],
  ['uuid_record', uuid.uuidRecord],
  ['uuid_recv_dtmf', uuid.uuidReceiveKeys],
  ['uuid_transfer', uuid.uuidTransfer],
  ['uuid_answer', uuid.uuidAnswer],
  ['hupall', uuid.hangUpAll],
  ['show', show],
  ['sofia', sofia],
  ['sofia_contact', sofiaContact],
  ['sofia_gateway_data', gatewayData],
  ['status', system.statusText],
  ['version', (_engine, argument) => system.version(argument)],
  ['hostname', system.hostname],
  ['switchname', system.hostname],
  ['uptime', (engine) => `${Math.trunc((engine.timers.now() - engine.startedAt) / 1000)}\n`],
  ['global_getvar', system.getGlobal],
  ['global_setvar', system.setGlobal],
  ['create_uuid', (engine) => engine.random.uuid()],
  ['echo', (_engine, argument) => argument],
  ['md5', (_engine, argument) => createHash('md5').update(argument, 'latin1').digest('hex')],
  ['url_encode', (_engine, argument) => system.urlEncode(argument)],
  ['log', system.writeLog],
  ['msleep', system.sleep],
  ['reloadxml', system.reloadXml],
  ['xml_flush_cache', system.flushCache],
  ['vm_boxcount', countMessages],
  ['vm_delete', deleteMessages],
])

/**
 * Runs one api line: a name, one blank, and the unchanged argument. Returns the engine's answer, and informs every
 * listener afterwards in an API event that was begun before. Never rejects.
 */
export async function runApi(engine: Engine, line: string): Promise<string> {
  const [, name = '', argument = ''] = /^(\S*) ?(.*)$/s.exec(line) ?? []
  const sequence = engine.events.takeSequence()
  const answer = await runNamed(engine, name, argument)
  engine.events.fire({
    name: 'API',
    place: ['switch_loadable_module.c', 'switch_api_execute', 2954],
    sequence,
    headers: [['API-Command', name], ...(argument === '' ? [] : [['API-Command-Argument', argument] as const])],
  })
  return answer
}

async function runNamed(engine: Engine, name: string, argument: string): Promise<string> {
  const command = commands.get(name)
  if (command === undefined) return `-ERR ${name} Command not found!\n`
  try {
    return await command(engine, argument)
  } catch {
    return '-ERR no reply\n'
  }
}
