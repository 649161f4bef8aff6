import { readFileSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

const settings = readFileSync('engine/conf/settings.xml', 'utf8')
const named = settings.matchAll(/cmd="env-set" data="\w+=\$(\w+)"|printenv (\w+)/g)
const variables = [...new Set([...named].map(([, name, checked]) => name ?? checked ?? ''))].toSorted()
/** Folders of the kit's container: they are volumes, at the places that the settings have by default. */
const folders = ['CDR_FOLDER', 'RECORDINGS_FOLDER', 'SOUNDS_FOLDER', 'TLS_FOLDER', 'VOICEMAIL_FOLDER']

it('the compose file of the engine kit passes each setting of the kit to the engine, and has a volume for each folder', () => {
  const { engine } = parse(readFileSync('engine/compose.yaml', 'utf8')).services
  const places = folders.map((name) => new RegExp(`data="${name.toLowerCase()}=(.+)"`).exec(settings)?.[1])

  expect([...Object.keys(engine.environment), ...folders].toSorted()).toEqual(variables)
  expect(new Set(engine.volumes.map((volume: string) => volume.split(':')[1]))).toEqual(new Set(places))
})

it('the manual of the engine kit describes each setting', () => {
  const manual = readFileSync('docs/engine.md', 'utf8')

  expect(variables.filter((name) => !manual.includes(`\`${name}\``))).toEqual([])
})

/** The defaults of the manual's table, stated once more: a change of one of them is a decision. */
const usual = {
  platform_url: 'http://127.0.0.1:8080',
  engine_credential: 'not-set',
  directory_cache: 'until-flushed',
  platform_timeout: '2',
  event_socket_ip: '127.0.0.1',
  event_socket_port: '8021',
  connector_network: '127.0.0.1/32',
  execute_on_answer: 'execute_extension replaced XML:$${conf_dir}/replaced-calls.xml replaced',
  current_application: 'answer',
  disable_system_api_commands: 'true',
  disable_system_app_commands: 'true',
  sip_ip: '$${local_ip_v4}',
  sip_port: '5060',
  rtp_first_port: '16384',
  rtp_last_port: '32768',
  gateway_sip_ip: '$${sip_ip}',
  gateway_sip_port: '5080',
  external_ip: '$${sip_ip}',
  gateway_external_ip: '$${gateway_sip_ip}',
  local_networks: '127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16',
  tls: 'false',
  tls_folder: '/etc/callplane-engine/tls',
  tls_port: '5061',
  gateway_tls_port: '5081',
  gateway_tls_verify: 'subjects_out',
  wss_binding: '',
  rtp_secure_media_outbound: 'forbidden',
  rtp_secure_media_suites: 'AEAD_AES_256_GCM:AES_256_CM_HMAC_SHA1_80:AES_CM_128_HMAC_SHA1_80',
  shortest_registration: '60',
  longest_registration: '3600',
  registrations_db: '',
  recordings_folder: '/var/lib/freeswitch/recordings',
  cdr_folder: '/var/spool/freeswitch/cdr',
  sounds_folder: '/var/lib/freeswitch/sounds',
  voicemail_folder: '/var/lib/freeswitch/voicemail',
  prompts_folder: '/usr/share/freeswitch/sounds/en/us/callie',
  hold_music: 'tone_stream://v=-20;%(900,300,392,494);%(900,2900,330,415);loops=-1',
  fifo_music: '$${hold_music}',
  transfer_ringback: '%(2000,4000,440,480)',
  emergency_numbers: '112,911',
  emergency_gateway: '',
  engine_name: '$${hostname}',
  most_calls: '2000',
  calls_per_second: '100',
}

it('each setting of the engine kit has its usual value where the environment sets none', () => {
  const defaults = settings.matchAll(/cmd="set" data="(\w+)=([^"]*)"/g)
  // The guards are statements of a database, which tests at a real engine judge.
  const found = [...defaults].map(([, name, value]) => [name, value]).filter(([name]) => !name?.endsWith('_guard_end'))

  expect(Object.fromEntries(found.filter(([name]) => !/_guard$|^steering/.test(name ?? '')))).toEqual(usual)
})

it('every program of the engine kit is started again when it ends, and an engine has a minute to end its calls', () => {
  const { services } = parse(readFileSync('engine/compose.yaml', 'utf8'))
  const restarts = Object.entries<{ restart: string }>(services).map(([name, { restart }]) => [name, restart])

  expect(Object.fromEntries(restarts)).toEqual({
    engine: 'unless-stopped',
    'post-cdrs': 'unless-stopped',
    'send-voicemails': 'unless-stopped',
    'send-recordings': 'unless-stopped',
  })
  expect(services.engine.stop_grace_period).toBe('1m')
})

it.each([
  ['callplane-engine.service', { Type: undefined, Restart: 'always', RestartSec: '2', LimitNOFILE: '65536' }],
  ['callplane-send-recordings.service', { Type: undefined, Restart: 'always', RestartSec: '5' }],
  ['callplane-post-cdrs.service', { Type: 'oneshot', Restart: undefined }],
  ['callplane-post-cdrs.timer', { OnBootSec: '60', OnUnitInactiveSec: '60', WantedBy: 'timers.target' }],
  ['callplane-send-voicemails.service', { Type: 'oneshot', Restart: undefined }],
  ['callplane-send-voicemails.timer', { OnBootSec: '60', OnUnitInactiveSec: '60', WantedBy: 'timers.target' }],
])('the unit %s runs again when it has ended', (file, expected) => {
  const lines = readFileSync(`engine/systemd/${file}`, 'utf8').split('\n')
  const values = new Map(lines.map((line) => [line.split('=')[0] ?? '', line.slice(line.indexOf('=') + 1)]))

  expect(Object.fromEntries(Object.keys(expected).map((name) => [name, values.get(name)]))).toEqual(expected)
})

it('the parameters of the engine kit are those that test/fixtures/engine-parameters.txt states once more: a change is a decision', () => {
  const files = readdirSync('engine/conf').toSorted()

  const found = files.flatMap((file) => {
    const text = readFileSync(`engine/conf/${file}`, 'utf8').replaceAll(/<!--.*?-->/gs, '')
    return [...text.matchAll(/<param name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name, value]) => `${file} ${name}=${value}`,
    )
  })

  expect(found).toEqual(readFileSync('test/fixtures/engine-parameters.txt', 'utf8').trimEnd().split('\n'))
})
