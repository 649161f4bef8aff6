import { relative } from 'node:path'
import type { Settings } from '../settings/settings.ts'
import { demo } from './first-data.ts'
import type { Platform } from './start-platform.ts'

interface Reported extends Pick<Platform, 'url' | 'demo'> {
  readonly folder: Pick<Platform['folder'], 'file'>
  readonly kept: Pick<Platform['kept'], 'rootPassword' | 'rootPasswordFrom'>
  readonly engine: { readonly port: number } | undefined
}

/**
 * Returns the report at the end of a start: the address of the API, the users, and commands to paste. None of them
 * places a call at an engine that is only observed, since that is refused.
 */
export function startupReport(
  platform: Reported,
  settings: Pick<Settings, 'host' | 'engines' | 'observing'>,
  tookMs: number,
): string {
  const { url, folder, engine } = platform
  const mayCall = settings.observing === undefined
  const shown = (name: string): string => relative(process.cwd(), folder.file(name)) || folder.file(name)
  return [
    '',
    `Callplane is up on ${url} after ${(tookMs / 1000).toFixed(1)} s; Ctrl-C stops it`,
    '',
    `  ${rootLine(platform, shown('root-password'))}`,
    ...accountLines(platform, shown(demo.file)),
    '',
    `  engine    ${engine === undefined ? engineNote(settings) : `simulated, event socket on port ${engine.port}, password ClueCon`}`,
    ...unreachableNote(settings).map((line) => `            ${line}`),
    `  logs      ${shown('logs')}`,
    '',
    `Log in, ${mayCall ? 'call the echo extension from 1001, ' : ''}list the live channels:`,
    '',
    ...commands(platform, mayCall).flatMap((command) => [command, '']),
    ...(mayCall
      ? [`npm run demo, in another terminal, walks the whole job${engine === undefined ? phoneNote : ''}.`]
      : []),
  ].join('\n')
}

const phoneNote = '; it needs a phone of 1001 that is registered at the engine and answers'

function engineNote({ observing }: Pick<Settings, 'observing'>): string {
  return observing === undefined ? 'as ENGINE_URL says' : 'as ENGINE_URL says, only observed: nothing is changed at it'
}

/** The root password is shown by the start that made it, and by the first that got as far as to show anything. */
function rootLine({ kept, demo: { made } }: Reported, file: string): string {
  if (kept.rootPasswordFrom === 'settings') return 'root   password as ROOT_PASSWORD says'
  if (kept.rootPasswordFrom === 'this start' || made)
    return `root   ${kept.rootPassword}   shown this once; kept in ${file}`
  return `root   password in ${file}`
}

function accountLines({ demo: { passwords, made } }: Reported, file: string): string[] {
  const lines = Object.entries(passwords).map(([user, password]) => `${user}   ${password}`)
  return [
    ...lines.map((line) => `  ${line}`),
    `  ${made ? 'made just now' : 'passwords as made at the first start'}, in ${file}`,
  ]
}

function commands({ url, demo: { passwords } }: Reported, mayCall: boolean): string[] {
  const user = `${demo.accounts[0].login}@${demo.domain}`
  const body = JSON.stringify({ username: user, password: passwords[user] ?? '<password>' })
  const json = "-H 'Content-Type: application/json'"
  const auth = '-H "X-Key: $KEY" -H "X-Access-Token: $TOKEN"'
  const field = (name: string): string => `$(node -pe 'JSON.parse(process.argv[1]).${name}' "$LOGIN")`
  return [
    `LOGIN=$(curl -s ${url}/login ${json} -d '${body}'); KEY=${field('key')}; TOKEN=${field('token')}; echo "$LOGIN"`,
    ...(mayCall ? [`curl -s ${url}/api/v2/channels ${auth} ${json} -d '{"callerId":"1001","calledId":"9196"}'`] : []),
    `curl -s ${url}/api/v2/channels ${auth}`,
  ]
}

/**
 * Returns a line for an engine on another machine while the API listens on the loopback address only: it cannot ask
 * anything. An engine that is only observed asks nothing.
 */
export function unreachableNote({
  host,
  engines,
  observing,
}: Pick<Settings, 'host' | 'engines' | 'observing'>): string[] {
  if (observing !== undefined) return []
  const elsewhere = engines.find((engine) => !isLoopback(engine.host))
  if (elsewhere === undefined || !isLoopback(host)) return []
  return [`${elsewhere.host} cannot reach /engine/* on ${host}: set HOST to an address that it reaches`]
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
