import type { Answer, Client } from '../../client/index.ts'
import { CallplaneError } from '../../client/index.ts'
import { CliError, exitCodes } from '../failure/exit.ts'
import type { Output } from '../output/output.ts'
import type { Session } from '../session/session.ts'
import type { ListedEvent } from './delivery.ts'
import { follow } from './follow.ts'

/** The way to the events of a domain. */
export interface EventSource {
  readonly session: Pick<Session, 'client' | 'query' | 'signal' | 'out'>
  readonly domain: string
  readonly chosen?: ChosenEvents
}

/** Which events the platform leaves in the list. */
export interface ChosenEvents {
  readonly name?: string
  readonly call?: string
}

/** Returns the number of the latest event of a domain; 0 before its first. */
export async function latestNumber({ session: { client, query, signal } }: EventSource): Promise<number> {
  return (await readEvents({ client, query, signal }, 0, 1)).head
}

/** Returns a page of the events after a number. Throws in words for a number that the domain has not reached. */
export async function readEvents(
  { client, query, signal }: { client: Client; query: Session['query']; signal: AbortSignal },
  since: number,
  limit: number,
  chosen: ChosenEvents = {},
): Promise<Answer<'listEvents'>['data']> {
  return client
    .call('listEvents', { query: { ...query, ...chosen, since: String(since), limit }, signal })
    .then(({ data }) => data)
    .catch((error: unknown) => refuseSince(error, since))
}

/**
 * Handles every event of a domain after a number, each once and in order, until the user ends it, and reports gaps on
 * standard error. This is where a live stream takes the place of asking the list again and again.
 */
export async function followEvents(
  { session: { client, out, query, signal }, domain, chosen }: EventSource,
  since: number,
  onEvent: (event: ListedEvent) => Promise<boolean>,
  onHandled: (sequence: number) => void = () => {},
): Promise<void> {
  await follow(since, {
    read: (position) => readEvents({ client, query, signal }, position, 100, chosen),
    onEvent,
    onHandled,
    signal,
    ...gapReports(out, domain),
  }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

function gapReports(
  out: Output,
  domain: string,
): Pick<Parameters<typeof follow>[1], 'onNumbers' | 'onTime' | 'onNothingCollected'> {
  return {
    onNumbers: ({ reason, fromSequence, toSequence }) => {
      const why = reason === 'void' ? 'no event has them' : 'their events are no longer kept'
      out.warn(`gap: numbers ${fromSequence} to ${toSequence}, ${why}`, 'yellow')
    },
    onTime: ({ reason, from, to }) =>
      out.warn(`gap: events may have been missed from ${out.time(from)} to ${out.time(to)} (${reason})`, 'yellow'),
    onNothingCollected: () =>
      out.warn(
        `events of ${domain} are not collected, since it has no hook; a disabled one is enough: callplane hooks create --disabled`,
      ),
  }
}

function refuseSince(error: unknown, since: number): never {
  const isAbove = error instanceof CallplaneError && error.details.some(({ field }) => field === 'since')
  if (!isAbove) throw error
  const problem = `there is no event ${since} yet, or the domain was made anew after it`
  throw new CliError(`${problem}: begin again with --since 0`, exitCodes.failed, error)
}
