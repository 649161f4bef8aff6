import { findingsOfNetworks } from './check-networks.ts'
import { isTrue, paramLine, readConfiguration } from './engine-configuration.ts'
import { findingsOfMailboxes } from './mailbox-findings.ts'
import { findingsOfDirectory, findingsOfRoutes } from './platform-findings.ts'
import { findingsOfSip } from './profile-findings.ts'

/** Something that an engine lacks or has wrong. */
export interface Finding {
  /** The file of the engine kit that has it right, or the usual file of FreeSWITCH. */
  readonly file: string
  readonly problem: string
  /** The line to have instead. */
  readonly line: string
}

/** Runs one command of the event socket and answers its result. */
export type AskEngine = (command: string) => Promise<string>

/** The optional inputs of a check. */
export interface CheckOptions {
  readonly password: string
  /** An account that the engine must find at the platform. */
  readonly account?: { readonly login: string; readonly domain: string } | undefined
}

const modules = [
  'mod_event_socket',
  'mod_commands',
  'mod_dptools',
  'mod_dialplan_xml',
  'mod_sofia',
  'mod_xml_curl',
  'mod_json_cdr',
  'mod_tone_stream',
  'mod_sndfile',
  'mod_hash',
  'mod_conference',
  'mod_fifo',
  'mod_valet_parking',
  'mod_voicemail',
] as const

const configuration = async (ask: AskEngine, name: string) =>
  readConfiguration(await ask(`xml_locate configuration configuration name ${name}.conf`))

/**
 * Compares a running engine with what the platform needs of it, and answers what is missing or wrong. It only reads.
 * Rejects when the engine does not answer.
 */
export async function checkEngine(ask: AskEngine, options: CheckOptions): Promise<Finding[]> {
  const found = [...(await findingsOfModules(ask)), ...(await findingsOfContacts(ask))]
  found.push(...(await findingsOfReplacedCalls(ask)), ...(await findingsOfClock(ask)))
  const sofia = await configuration(ask, 'sofia')
  const bindings = (await configuration(ask, 'xml_curl'))?.child('bindings').children('binding') ?? []
  found.push(...(await findingsOfEventSocket(ask, options.password)), ...findingsOfDirectory(bindings, sofia))
  found.push(...findingsOfRoutes(bindings))
  found.push(...findingsOfSip(sofia), ...(await findingsOfRunningProfiles(ask)))
  found.push(...(await findingsOfNetworks(ask, sofia?.child('profiles').children('profile') ?? [])))
  found.push(...(await findingsOfCdrs(ask)), ...(await findingsOfDialplan(ask)))
  found.push(...(await findingsOfMailboxes(ask, await configuration(ask, 'voicemail'))))
  if (options.account !== undefined) found.push(...(await findingsOfAccount(ask, options.account)))
  return found
}

/** Seconds that the clocks of an engine and of the platform may differ. */
const toleratedSeconds = 5

async function findingsOfClock(ask: AskEngine): Promise<Finding[]> {
  const off = Number(await ask('strepoch')) - Date.now() / 1_000
  if (!(Math.abs(off) > toleratedSeconds)) return []
  const seconds = Math.round(Math.abs(off))
  const problem = `the clock of the engine is ${seconds} s ${off > 0 ? 'ahead of' : 'behind'} this machine's`
  const line = 'fs_cli -x "fsctl sync_clock", and a time service on its machine'
  return [{ file: 'the clock of its machine', problem, line }]
}

/** The line that the dial string of accounts needs (core/accounts/dial-string.ts). */
const markLine = `<X-PRE-PROCESS cmd="exec-set" data="contact_mark=od -An -N16 -tx1 /dev/urandom | tr -d ' \\n'"/>`

async function findingsOfContacts(ask: AskEngine): Promise<Finding[]> {
  if (/^[0-9a-f]{32}$/.test((await ask('global_getvar contact_mark')).trim())) return []
  const problem =
    'no phone is rung: the variable contact_mark, which contacts are checked with, is no 32 hexadecimal digits'
  return [{ file: 'settings.xml (vars.xml)', problem, line: markLine }]
}

/** The global variables that end an INVITE with `Replaces` at its answer, and forbid shell commands. */
const guards: readonly (readonly [name: string, wanted: string, isRight: (value: string) => boolean, why: string])[] = [
  [
    'execute_on_answer',
    'execute_extension replaced XML:$${conf_dir}/replaced-calls.xml replaced',
    (value) => /^execute_extension replaced XML:\S+ replaced$/.test(value),
    'anyone who reaches a SIP port executes applications and takes calls over by an INVITE with Replaces',
  ],
  [
    'current_application',
    'answer',
    (value) => value === 'answer',
    'an INVITE with Replaces may execute an application before its answer',
  ],
  ['disable_system_api_commands', 'true', isTrue, 'commands of the engine may run programs of its machine'],
  ['disable_system_app_commands', 'true', isTrue, 'calls may run programs of the machine of the engine'],
]

async function findingsOfReplacedCalls(ask: AskEngine): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [name, wanted, isRight, problem] of guards) {
    if (isRight((await ask(`global_getvar ${name}`)).trim())) continue
    const line = `<X-PRE-PROCESS cmd="set" data="${name}=${wanted}"/>`
    found.push({ file: 'settings.xml (vars.xml)', problem, line })
  }
  return found
}

async function findingsOfModules(ask: AskEngine): Promise<Finding[]> {
  const found: Finding[] = []
  for (const module of modules) {
    if ((await ask(`module_exists ${module}`)).trim() === 'true') continue
    const problem = `${module} is not loaded`
    found.push({ file: 'modules.xml (modules.conf.xml)', problem, line: `<load module="${module}"/>` })
  }
  return found
}

async function findingsOfEventSocket(ask: AskEngine, password: string): Promise<Finding[]> {
  const file = 'event-socket.xml (event_socket.conf.xml)'
  const found: Finding[] = []
  const settings = (await configuration(ask, 'event_socket'))?.child('settings').parameters ?? new Map<string, string>()
  if (password === 'ClueCon') {
    const problem = 'the event socket has the password that every FreeSWITCH has at first'
    found.push({ file, problem, line: paramLine('password', '<a password of your own>') })
  }
  const address = settings.get('listen-ip') ?? ''
  if (['', '::', '0.0.0.0', '[::]'].includes(address)) {
    const problem = 'the event socket listens on every address'
    found.push({ file, problem, line: paramLine('listen-ip', '<an address that only connectors reach>') })
  }
  if ((settings.get('apply-inbound-acl') ?? '') === '') {
    const problem = 'no list says which networks may connect to the event socket'
    found.push({ file, problem, line: paramLine('apply-inbound-acl', 'connectors') })
  }
  return found
}

async function findingsOfRunningProfiles(ask: AskEngine): Promise<Finding[]> {
  if (/\tprofile\t.*RUNNING/.test(await ask('sofia status'))) return []
  const problem =
    "no SIP profile runs; the engine's log says why, mostly an address that is not its own or a port in use"
  return [{ file: 'settings.xml', problem, line: 'SIP_IP and SIP_PORT in the environment of the engine' }]
}

async function findingsOfCdrs(ask: AskEngine): Promise<Finding[]> {
  const file = 'platform.xml (json_cdr.conf.xml)'
  const settings = (await configuration(ask, 'json_cdr'))?.child('settings').parameters ?? new Map<string, string>()
  const found: Finding[] = []
  if ((settings.get('url') ?? '') !== '') {
    const problem = 'CDRs are posted from the thread of each call, which does not end before the platform answers'
    found.push({ file, problem, line: 'no line url; engine/bin/post-cdrs posts what is in log-dir' })
  }
  const folder = settings.get('log-dir') ?? ''
  const canBeAsked = /^\/[A-Za-z0-9._/-]+$/.test(folder)
  if (!canBeAsked || (await ask(`file_exists ${folder}`)).trim() !== 'true') {
    const problem = canBeAsked ? `the folder ${folder} does not exist` : 'CDRs are not written to a folder'
    found.push({ file, problem, line: paramLine('log-dir', canBeAsked ? folder : '/var/spool/freeswitch/cdr') })
  }
  if (!isTrue(settings.get('log-b-leg'))) {
    found.push({ file, problem: 'called legs get no CDR', line: paramLine('log-b-leg', 'true') })
  }
  return found
}

async function findingsOfDialplan(ask: AskEngine): Promise<Finding[]> {
  if ((await ask('xml_locate dialplan context name global')).trim().startsWith('<context')) return []
  const problem = 'domains without a context of their own have no dial plan'
  return [{ file: 'dialplan.xml', problem, line: '<context name="global">, as in the engine kit' }]
}

async function findingsOfAccount(ask: AskEngine, account: { login: string; domain: string }): Promise<Finding[]> {
  if ((await ask(`user_exists id ${account.login} ${account.domain}`)).trim() === 'true') return []
  const problem = `the engine does not find ${account.login}@${account.domain}: it does not reach the platform, presents a wrong credential, or there is no such account`
  return [
    { file: 'settings.xml', problem, line: 'PLATFORM_URL and ENGINE_CREDENTIAL in the environment of the engine' },
  ]
}
