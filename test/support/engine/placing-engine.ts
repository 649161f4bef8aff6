import { type EngineJob, type ScriptedEngine, startScriptedEngine } from './scripted-engine.ts'

/** A channel of the engine. */
interface EngineChannel {
  readonly domain: string
  readonly presenceId: string
  isHeld: boolean
}

/**
 * A scripted engine that places, holds and ends calls as the recorded engines do, with the oddities of their replies. A
 * job is accepted, done, and its end is reported, until a test replaces that.
 */
export type PlacingEngine = ScriptedEngine & { readonly channels: Map<string, EngineChannel> }

/** Starts an engine without channels. */
export async function startPlacingEngine(): Promise<PlacingEngine> {
  const channels = new Map<string, EngineChannel>()
  return Object.assign(await startScriptedEngine(), {
    channels,
    rows: () =>
      Array.from(channels, ([uuid, { domain, presenceId, isHeld }]) => ({
        uuid,
        presence_id: presenceId,
        context: domain,
        callstate: isHeld ? 'HELD' : 'ACTIVE',
      })),
    moreFields: (uuid: string) => ({ variable_domain_name: channels.get(uuid)?.domain ?? '' }),
    run: (line: string) => runLine(channels, line),
    onJob: placeAtOnce,
  })
}

function placeAtOnce(job: EngineJob): void {
  job.accept()
  job.finish(job.run())
}

const dialString = /^originate \{(.*)\}user\/(\S+)@(\S+) (\S+)/

/** The list of SIP profiles of an engine that has one. */
const sipProfiles = [
  `${'Name'.padStart(25)}\t   Type\t  ${'Data'.padStart(40)}\tState`,
  `${'internal'.padStart(25)}\tprofile\t  ${'sip:mod_sofia@127.0.0.1:5060'.padStart(40)}\tRUNNING (0)`,
  '1 profile 0 aliases\n',
].join('\n')

/** An engine's acts and answers, as `control/uuid-commands` and `control/originate-*` were recorded. */
function runLine(channels: PlacingEngine['channels'], line: string): string {
  const [verb = '', first = '', second = ''] = line.split(' ')
  const dialled = dialString.exec(line)
  if (dialled !== null) return originate(channels, dialled)
  if (verb === 'originate') return '-USAGE: <call url> <exten>\n'
  if (verb === 'uuid_kill') return channels.delete(first) ? '+OK\n' : '-ERR No such channel!\n'
  if (line === 'sofia status') return sipProfiles
  if (verb === 'uuid_hold') return hold(channels.get(first === 'off' ? second : first), first !== 'off')
  return '+OK\n'
}

function originate(channels: PlacingEngine['channels'], [, list = '', login, domain = '']: RegExpExecArray): string {
  const chosen = /(?:^|,)origination_uuid=([^,]*)/.exec(list)?.[1] ?? ''
  const uuid = channels.has(chosen) ? crypto.randomUUID() : chosen
  channels.set(uuid, { domain, presenceId: `${login}@${domain}`, isHeld: false })
  return `+OK ${uuid}\n`
}

function hold(channel: EngineChannel | undefined, isWanted: boolean): string {
  if (channel === undefined) return '+OK Success\n'
  if (channel.isHeld === isWanted) return '-ERR Operation failed\n'
  channel.isHeld = isWanted
  return '+OK Success\n'
}
