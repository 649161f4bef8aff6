import { join, relative } from 'node:path'
import type { Settings } from '../settings/settings.ts'
import { demo } from './first-data.ts'
import { newcomerLines } from './newcomer-lines.ts'
import type { Platform } from './start-platform.ts'

interface Reported extends Pick<Platform, 'url' | 'demo'> {
  /** Whether the command line is signed in by a profile of this start. */
  readonly hasProfile: boolean
  readonly folder: Pick<Platform['folder'], 'file'>
  readonly kept: Pick<Platform['kept'], 'rootPassword' | 'rootPasswordFrom'>
  readonly engine: { readonly port: number } | undefined
}

/**
 * Returns the report at the end of a start: the users, what to type first, and where everything is. No command places
 * a call at an engine that is only observed, since that is refused.
 */
export function startupReport(
  platform: Reported,
  settings: Pick<Settings, 'host' | 'engines' | 'observing'>,
  tookMs: number,
): string {
  const { url, folder, engine, hasProfile } = platform
  const mayCall = settings.observing === undefined
  const shown = (name: string): string => relative(process.cwd(), folder.file(name)) || folder.file(name)
  return [
    '',
    `Callplane is up on ${url} after ${Math.round(tookMs / 1000)} s`,
    '',
    `  ${rootLine(platform, shown('root-password'))}`,
    ...accountLines(platform, shown(demo.file)),
    `  engine    ${engine === undefined ? engineNote(settings) : `simulated, event socket on port ${engine.port}, password ClueCon`}`,
    ...unreachableNote(settings).map((line) => `            ${line}`),
    `  logs      ${shown('logs')}`,
    '',
    'Type in another terminal:',
    '',
    ...commands(platform, mayCall).map(([command, meaning]) =>
      `  ${command.padEnd(commandWidth)}  ${meaning}`.trimEnd(),
    ),
    ...(mayCall && engine === undefined ? [phoneNote] : []),
    '',
    ...newcomerLines(url, hasProfile),
  ].join('\n')
}

const root = join(import.meta.dirname, '../..')
/** As wide as the longest command that has a meaning beside it. */
const commandWidth = 35

const phoneNote = '  Calls and the demo need a phone of 1001 that is registered at the engine and answers.'

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

function commands({ hasProfile }: Reported, mayCall: boolean): readonly (readonly [string, string])[] {
  const profile = hasProfile || !mayCall ? [] : [['callplane login …', 'as the profile below says'] as const]
  return [
    [`alias callplane="node ${join(root, 'cli/callplane.mjs')}"`, ''],
    ...profile,
    ...(mayCall ? [['callplane call 9196 --from 1001', 'call the echo extension from 1001'] as const] : []),
    ['callplane channels list', 'the live calls'],
    ['callplane doctor', 'what is wrong, if anything is'],
    ...(mayCall ? [['npm run demo', 'walks the whole job'] as const] : []),
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
