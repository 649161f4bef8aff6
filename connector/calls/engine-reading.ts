import { channelFields } from '../../contracts/routes/channels.ts'
import type { Clock } from '../../core/time.ts'
import type { EngineLink } from '../runtime/engine.ts'
import { type Timers, pause } from '../../core/concurrency/timers.ts'
import { type ChannelRegistry, firstExisting } from './channel-registry.ts'
import type { DomainNames } from './domain-names.ts'
import { type ChannelFields, dumpChannel, readChannels, reader } from './engine-channels.ts'
import { type ReadField, accountIn, legDomainCandidates } from '../../core/channels/leg.ts'
import { publicContext } from '../../core/dialplan/dialplan-question.ts'

/** How old a reading may be that is shared; the contract allows 5 s. */
const sharedMs = 1_000

/** Readings begin no closer together than this, however much changes: an engine writes a long list for a long time. */
const spacingMs = 200

/**
 * The most channels that one reading asks the engine about by themselves: those without any event, as after a
 * start of the connector. An answer has some 10 KB and takes about a millisecond; later readings ask about the others.
 */
const mostAsked = 200

/** A channel of an engine with its domain, ready to be shown. */
export interface ListedChannel {
  /** Empty when the channel is of no domain. */
  readonly domain: string
  /** The account of the channel; empty where it has none, or none is known. Such a channel has no owner. */
  readonly presenceId: string
  /** Exactly the published fields; its presence id is the account. */
  readonly row: Readonly<Record<string, string>>
}

/** The live channels of one engine. */
export interface EngineReading {
  /**
   * The channels as of at most a second ago, and with every change that the registry knew of in the domain (`null`: in
   * any) when it was asked. All callers of a shared reading get the same array. Rejects as the link does, and with
   * `UnreadableReply`.
   */
  current(domain: string | null): Promise<readonly ListedChannel[]>
  /**
   * The channels as the engine lists them now, with the accounts that are known without asking. Rejects as
   * {@link current} does.
   */
  now(): Promise<readonly ListedChannel[]>
}

export interface EngineReadingDeps {
  readonly engine: string
  readonly link: Pick<EngineLink, 'api'>
  readonly registry: ChannelRegistry
  readonly domains: DomainNames
  readonly clock: Clock
  readonly timers: Timers
  readonly onRead?: (channels: readonly ListedChannel[]) => void
}

interface Reading {
  /** Epoch milliseconds of its begin. */
  readonly at: number
  readonly revision: number
  readonly channels: Promise<readonly ListedChannel[]>
}

/**
 * Makes the shared reading of an engine's channels. All callers within a second share one, unless a channel of the
 * caller's domain has changed since it began, so that a list shows what its reader has just done. The engine is read
 * once at a time, and at most five times a second.
 */
export function engineReading(parts: EngineReadingDeps): EngineReading {
  const { link, registry, domains, clock, timers, onRead = () => {} } = parts
  let latest: Reading | undefined
  let isRunning = false
  let next: Promise<readonly ListedChannel[]> | undefined

  const readAll = async (withAccounts: boolean): Promise<readonly ListedChannel[]> => {
    const rows = await readChannels(link)
    if (withAccounts) await askForAccounts(parts, rows)
    const channels = await Promise.all(rows.map((row) => listed(reader(row), registry, domains)))
    onRead(channels)
    return channels
  }

  const begin = (): Promise<readonly ListedChannel[]> => {
    isRunning = true
    next = undefined
    const revision = registry.revision(null)
    const channels = readAll(true).finally(() => (isRunning = false))
    const started = { at: clock.now(), revision, channels }
    latest = started
    channels.catch(() => {
      if (latest === started) latest = undefined
    })
    return channels
  }

  const afterLatest = async (reading: Reading): Promise<readonly ListedChannel[]> => {
    await reading.channels.catch(() => {})
    const restMs = reading.at + spacingMs - clock.now()
    if (restMs > 0) await pause(timers, restMs)
    return begin()
  }

  const shared = () => (isRunning || (latest !== undefined && clock.now() - latest.at < sharedMs) ? latest : undefined)

  const current = (domain: string | null): Promise<readonly ListedChannel[]> => {
    const reading = shared()
    if (reading !== undefined && registry.revision(domain) <= reading.revision) return reading.channels
    if (next !== undefined) return next
    if (latest === undefined) return begin()
    next = afterLatest(latest)
    return next
  }

  return {
    current,
    now: () => readAll(false),
  }
}

async function listed(read: ReadField, registry: ChannelRegistry, domains: DomainNames): Promise<ListedChannel> {
  const recorded = registry.domainOf(registry.idOf(read('uuid') ?? ''))
  const candidates = legDomainCandidates(read, (leg) => registry.domainOf(leg))
  const domain = recorded ?? (await firstExisting(candidates, domains))
  const presenceId = accountIn(domain, registry.find(registry.idOf(read('uuid') ?? ''))?.presenceId) ?? ''
  const row = Object.fromEntries(channelFields.map((name) => [name, read(name) ?? '']))
  return { domain, presenceId, row: { ...row, presence_id: presenceId } }
}

/**
 * Asks the engine about the channels whose account is not known: a row has only the presence id, which may be the
 * caller's From header. A call from a gateway begins without a domain, which the dial plan names in a variable. Such
 * calls come last, since they may be of no tenant. What the engine does not answer stays unknown until the next
 * reading.
 */
async function askForAccounts(
  { engine, link, registry }: Pick<EngineReadingDeps, 'engine' | 'link' | 'registry'>,
  rows: readonly ChannelFields[],
): Promise<void> {
  const channels = rows
    .map((row) => {
      const uuid = registry.idOf(reader(row)('uuid') ?? '')
      return { uuid, context: reader(row)('context'), known: registry.find(uuid) }
    })
    .filter(({ uuid }) => !registry.hasEnded(uuid))
  const ofNoAccount = channels.filter(({ known }) => known?.isAccountKnown !== true)
  const fromGateways = channels.filter(
    ({ known, context }) => known?.isAccountKnown === true && known.domain === '' && context === publicContext,
  )
  const asked = [...ofNoAccount, ...fromGateways].slice(0, mostAsked).map(async ({ uuid }) => {
    const dump = await dumpChannel(link, registry.spellingOf(uuid))
    if (dump !== undefined) await registry.learn(uuid, reader(dump), engine)
  })
  await Promise.allSettled(asked)
}
