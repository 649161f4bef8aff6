import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../../../client/index.ts'
import type { ReceivedRequest, Receiver } from '../../../local/demo/receiver.ts'
import { type Bound, type CommandFact, checkAllInvariants } from './invariants.ts'
import { type TestPlatform, tenantPassword } from '../platform/platform.ts'
import { filesBelow, planted } from './secret-forms.ts'

/** The event that the hooks of these tests are on: it comes once for each channel. */
const hookedEvent = 'CHANNEL_CREATE'

/** The most lines that a connector logs at a start and for each link, in addition to one or two for each command. */
const linesOfOneProcess = 60

/** A tenant of a whole platform, whose calls' beginnings go to a receiver. */
export interface WatchedTenant {
  readonly domain: string
  readonly client: Client
  readonly hook: string
  readonly secret: string
  readonly receiver: Receiver
  /** Requests that were taken from the receiver. */
  readonly received: ReceivedRequest[]
}

/** Makes a tenant with its accounts and a hook that is in force. */
export async function aWatchedTenant(platform: TestPlatform, domain: string): Promise<WatchedTenant> {
  const client = await platform.tenant(domain)
  const receiver = await platform.receiver()
  const action = { type: 'web', method: 'POST', url: receiver.url } as const
  const { insertedIds, secrets } = (
    await client.call('createHooks', { query: { domain }, body: { event: hookedEvent, action } })
  ).data
  await platform.hooksInForce(client, domain)
  const [hook = ''] = insertedIds
  return { domain, client, hook, secret: secrets[hook] ?? '', receiver, received: [] }
}

/** A channel whose beginning the engine has reported. */
export interface BegunChannel {
  readonly uuid: string
  readonly domain: string
  readonly coreUuid: string
  /** By the engine's clock, epoch milliseconds. */
  readonly at: number
}

/** The things of a tenant, as the API shows them. */
export async function belongingsOf({ client, domain }: WatchedTenant) {
  const [accounts, hooks, channels] = [
    (await client.call('listAccounts', { query: { domain } })).data,
    (await client.call('listHooks', { query: { domain } })).data,
    (await client.call('listChannels')).data.rows,
  ]
  return {
    accounts: Object.keys(accounts).toSorted(),
    hooks: hooks.map(({ _id }) => `${_id}`).toSorted(),
    channels: channels.map(({ uuid }) => `${uuid}`).toSorted(),
  }
}

/** The fate of a tenant's channels that began: the ids under which each was reported, and whether a gap covers it. */
export async function fateOf(tenant: WatchedTenant, begun: readonly BegunChannel[]) {
  const { client, domain, received, receiver } = tenant
  const { events, gaps } = (await client.call('listEvents', { query: { domain, limit: 1000 } })).data
  const listed = events.filter(({ name }) => name === hookedEvent)
  const isReceived = (sequence: number) => received.some(({ headers }) => headers['webhook-sequence'] === `${sequence}`)
  while (!listed.every(({ sequence }) => isReceived(sequence))) received.push(await receiver.next(hookedEvent))
  return begun
    .filter((channel) => channel.domain === domain)
    .map(({ uuid, coreUuid, at }) => {
      const sequences = new Set(listed.flatMap((event) => (event.uuid === uuid ? `${event.sequence}` : [])))
      const attempts = received.filter(({ headers }) => sequences.has(String(headers['webhook-sequence'])))
      const ids = new Set(attempts.map(({ headers }) => String(headers['webhook-id'])))
      return {
        // The id of a channel's one delivery; the check is that each request has the same.
        id: [...ids][0] ?? `${coreUuid}:${uuid}:${hookedEvent}`,
        publishedAs: [...ids],
        isInGap: gaps.some((gap) => gap.kind === 'time' && gap.from <= at && at <= gap.to),
      }
    })
}

/** The acts of a test on the connectors of a platform. */
export interface PlatformScenario {
  readonly platform: TestPlatform
  readonly tenant: WatchedTenant
  readonly neighbour: WatchedTenant
  /** The result of {@link belongingsOf} for the neighbour before the fault. */
  readonly before: unknown
  readonly begun: readonly BegunChannel[]
  readonly commands: readonly CommandFact[]
  /** The changes that the tenant's answers confirmed, and whether they are found. */
  readonly acknowledged: readonly { readonly what: string; readonly isFound: boolean }[]
  /** Values that were presented in addition to those of every platform of tests. */
  readonly secrets: readonly string[]
  readonly bounds: readonly Bound[]
  /** Processes of the connector that there were. */
  readonly processes: number
  readonly backAfterMs: number
}

/**
 * Ends a fault test of a whole platform: every invariant is checked, by what the API, the receivers and the logs tell.
 */
export async function checkPlatform(scenario: PlatformScenario): Promise<void> {
  const { platform, tenant, neighbour, before, begun, commands, acknowledged, secrets, bounds, processes } = scenario
  const fates = [...(await fateOf(tenant, begun)), ...(await fateOf(neighbour, begun))]
  const own = await belongingsOf(tenant)
  const log = readFileSync(join(platform.dataDir, 'logs', 'connector.log'), 'utf8').split('\n')
  checkAllInvariants({
    acknowledged: [
      ...acknowledged,
      { what: 'the hook', isFound: own.hooks.includes(tenant.hook) },
      ...['1000', '1001', '1002'].map((login) => ({
        what: `the account ${login}`,
        isFound: own.accounts.some((id) => id.startsWith(login)),
      })),
    ],
    events: {
      wanted: fates,
      recordedAsLost: fates.filter(({ publishedAs, isInGap }) => publishedAs.length === 0 && isInGap).length,
    },
    commands,
    others: { before, after: await belongingsOf(neighbour) },
    secrets: {
      values: [planted('root'), planted('engine'), tenantPassword('1000'), tenant.secret, neighbour.secret, ...secrets],
      seen: [
        ...[...filesBelow(join(platform.dataDir, 'logs')).values()].map((bytes) => bytes.toString('latin1')),
        ...tenant.received,
        ...neighbour.received,
      ],
    },
    bounds: [
      ...bounds,
      {
        of: 'requests for one event',
        value: Math.max(0, ...fates.map(({ publishedAs }) => publishedAs.length)),
        limit: 1,
      },
      {
        of: 'lines in the log of the connector',
        value: log.length,
        limit: linesOfOneProcess * processes + 3 * commands.length,
      },
    ],
    backAfterMs: scenario.backAfterMs,
  })
}
