import { type Client, CallplaneError } from '../../client/index.ts'
import { describeFailure } from '../failure/describe-error.ts'
import { type Setting, clientOf, sessionOf } from '../session/session.ts'
import { version } from '../session/version.ts'

/** The result of one check. `next`: what to do, unless it is fine. */
export interface Finding {
  readonly check: string
  readonly result: 'ok' | 'warning' | 'wrong' | 'skipped'
  readonly found: string
  readonly next?: string
}

/** Signatures and tokens tolerate a difference of five minutes; a fifth of that is worth a word. */
const mostClockMs = 60_000
const soonMs = 86_400_000
/** The program is written for this version of Node and later ones. */
const oldestNode = 24

/**
 * Checks this machine, the way to the platform, the platform itself, the login and the engine, in this order. A check
 * that needs one that failed is skipped.
 */
export async function examine(setting: Setting, given: string | undefined): Promise<readonly Finding[]> {
  const { profiles, profile, terminal } = setting
  const url = given ?? (terminal.env['CALLPLANE_URL'] || profiles.find(profile)?.url)
  const node = nodeFinding()
  if (url === undefined) {
    const next = 'sign in with: callplane login --url <address> --user <login@domain>, or name it with --url'
    const isThere = profiles.names().includes(profile)
    const found = `"${profile}" is ${isThere ? 'damaged' : 'not signed in'}`
    return [node, { check: 'profile', result: 'wrong', found, next }]
  }
  const client = clientOf(setting, url)
  const reached = await examineHealth(client, url)
  const login = reached.isReached ? await examineLogin(setting, given) : skipped(['login', 'connector', 'versions'])
  return [node, ...reached.findings, ...login]
}

function nodeFinding(): Finding {
  const found = `Node ${process.versions.node}`
  if (Number(process.versions.node.split('.')[0]) >= oldestNode) return { check: 'node', result: 'ok', found }
  return { check: 'node', result: 'warning', found, next: `use Node ${oldestNode} or later; npm ci brings one` }
}

async function examineHealth(client: Client, url: string) {
  try {
    const { headers } = await client.callForHeaders('readHealth')
    const health: Finding = { check: 'health', result: 'ok', found: 'all parts are up' }
    return { isReached: true, findings: [reachable(url), health, clockFinding(headers.get('date'))] }
  } catch (error) {
    const isHealthAnswer = error instanceof CallplaneError && error.status === 503
    if (isHealthAnswer) {
      const next = 'a part of the platform is down: see its log, and the connector below'
      const health: Finding = { check: 'health', result: 'wrong', found: 'answered 503', next }
      return { isReached: true, findings: [reachable(url), health] }
    }
    const { message } = describeFailure(error)
    const next = 'start the platform with npm start, or correct the address with: callplane login --url <address>'
    const finding: Finding = { check: 'reachable', result: 'wrong', found: message, next }
    return { isReached: false, findings: [finding, ...skipped(['health', 'clock'])] }
  }
}

function reachable(url: string): Finding {
  return { check: 'reachable', result: 'ok', found: url }
}

function clockFinding(date: string | null): Finding {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return { check: 'clock', result: 'skipped', found: 'the platform names no time' }
  const differenceMs = Math.abs(Date.now() - theirs)
  const found = `${Math.round(differenceMs / 1000)} s apart`
  if (differenceMs <= mostClockMs) return { check: 'clock', result: 'ok', found }
  return { check: 'clock', result: 'warning', found, next: 'set the clock of this machine, or that of the platform' }
}

async function examineLogin(setting: Setting, given: string | undefined): Promise<readonly Finding[]> {
  try {
    const session = sessionOf(setting)
    if (given !== undefined && given.replace(/\/+$/, '') !== session.url)
      return skipped(['login', 'connector', 'versions'])
    const { id, roleName, expires } = await session.client.call('whoAmI')
    const leftMs = expires - Date.now()
    const found = `${id} (${roleName}), ${Math.floor(leftMs / 3_600_000)} h left`
    const isShort = leftMs < soonMs
    const login: Finding = isShort
      ? { check: 'login', result: 'warning', found, next: 'sign in again soon with: callplane login' }
      : { check: 'login', result: 'ok', found }
    return [login, ...(await examineEngine(session.client))]
  } catch (error) {
    const { message } = describeFailure(error)
    const next = 'sign in with: callplane login --url <address> --user <login@domain>'
    return [{ check: 'login', result: 'wrong', found: message, next }, ...skipped(['connector', 'versions'])]
  }
}

async function examineEngine(client: Client): Promise<readonly Finding[]> {
  const report = await client.call('readStatus')
  const { status, version: connector, sid } = report.wConsole
  const isUp = status === 'Connected'
  const next = 'start the engine, or correct ENGINE_URL and its password; the log of the connector has the reason'
  const engine: Finding = isUp
    ? { check: 'connector', result: 'ok', found: `connected to engine ${sid}` }
    : { check: 'connector', result: 'wrong', found: 'no link to the engine', next }
  const found = `platform ${report.version}, connector ${connector || 'unknown'}, callplane ${version()}`
  const isSame = connector === '' || connector === report.version
  const versions: Finding = isSame
    ? { check: 'versions', result: 'ok', found }
    : { check: 'versions', result: 'warning', found, next: 'deploy connector and platform in the same version' }
  return [engine, versions]
}

function skipped(checks: readonly string[]): readonly Finding[] {
  return checks.map((check) => ({ check, result: 'skipped', found: 'needs a check that failed' }))
}
