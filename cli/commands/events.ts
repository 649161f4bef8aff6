import type { Command } from 'commander'
import { CliError, exitCodes } from '../failure/exit.ts'
import { collect, wholeNumber } from '../input/values.ts'
import type { ListedEvent } from '../listen/delivery.ts'
import { type EventSource, followEvents, latestNumber, readEvents } from '../listen/event-source.ts'
import { eventPrinter } from '../listen/print-event.ts'
import { type Session, domainOf, withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { examples } from './examples.ts'

/** The choice of events to print. */
export interface EventOptions {
  readonly follow?: true
  readonly limit?: number
  readonly since?: number
  readonly name?: readonly string[]
  readonly call?: string
}

/** Adds the commands that print events. */
export function addEvents(program: Command, terminal: Terminal): void {
  program
    .command('events')
    .description('Print the latest events of the domain; with --follow, go on with each new one until Ctrl-C.')
    .option('-f, --follow', 'go on until Ctrl-C')
    .option(
      '--limit <count>',
      'how many of the latest to begin with (default: 20, with --follow: 0)',
      wholeNumber(0, 1000),
    )
    .option('--since <number>', 'begin after this event; 0 is the oldest kept', wholeNumber(0, 999_999_999_999_999))
    .option('--name <event>', 'only events of this name; may be given several times', collect)
    .option('--call <uuid>', 'only events of this call')
    .addHelpText(
      'after',
      examples('events', 'events --follow', 'events --follow --name CHANNEL_ANSWER --name CHANNEL_HANGUP_COMPLETE'),
    )
    .action(withSession(terminal, printEvents))
}

/** Prints the events of a domain, and new ones as they come with `follow`. */
export async function printEvents(session: Session, options: EventOptions): Promise<void> {
  const { out } = session
  await checkNames(session, options.name ?? [])
  const [name, ...otherNames] = options.name ?? []
  // The platform chooses one name; of several, the choice is made here.
  const chosen = {
    ...(name !== undefined && otherNames.length === 0 && { name }),
    ...(options.call !== undefined && { call: options.call.toLowerCase() }),
  }
  const isChosen = name !== undefined || options.call !== undefined
  const isWanted = (event: ListedEvent) => options.name?.includes(event.name) ?? true
  const source = { session, domain: await domainOf(session), chosen }
  const print = eventPrinter(out)
  const limit = options.limit ?? (options.follow === true ? 0 : 20)
  let begin = options.since ?? (isChosen && limit > 0 ? 0 : await beginning(source, limit))
  if (options.follow !== true || (isChosen && options.since === undefined && limit > 0)) {
    const most = options.since === undefined ? limit : options.limit
    const { found, end, isCollected } = await latestEvents(source, begin, isWanted, most)
    const noHook = isCollected ? '' : '; a domain without a hook has none: callplane hooks create --disabled'
    if (found.length === 0) out.note(`no event${isChosen ? ' of this choice' : ''}${noHook}`)
    for (const event of found) print(event)
    begin = end
  }
  if (options.follow !== true) return
  out.note(`events of ${source.domain} after number ${begin}; end with Ctrl-C`, 'dim')
  return followEvents(source, begin, async (event) => {
    if (isWanted(event)) print(event)
    return true
  })
}

/** Returns the wanted events after a number, of them the latest, and the number where the list ends. */
async function latestEvents(
  { session, chosen }: EventSource,
  begin: number,
  isWanted: (event: ListedEvent) => boolean,
  most = Number.POSITIVE_INFINITY,
): Promise<{ found: readonly ListedEvent[]; end: number; isCollected: boolean }> {
  let found: ListedEvent[] = []
  let [end, more, isCollected] = [begin, true, true]
  while (more && !session.signal.aborted) {
    const page = await readEvents(session, end, 100, chosen)
    found = [...found, ...page.events.filter(isWanted)].slice(-most || Number.POSITIVE_INFINITY)
    ;[end, more, isCollected] = [page.next, page.more, page.isCollected]
  }
  return { found, end, isCollected }
}

async function beginning(source: EventSource, limit: number): Promise<number> {
  return Math.max(0, (await latestNumber(source)) - limit)
}

/**
 * Throws for a name that is never sent, which would match nothing for ever. Subclasses of other modules are not in the
 * list.
 */
export async function checkNames({ client }: Session, names: readonly string[]): Promise<void> {
  const given = names.filter((name) => !name.startsWith('CUSTOM->'))
  if (given.length === 0) return
  const known = new Set((await client.call('listEventTypes')).data.map(({ event }) => event))
  const unknown = given.find((name) => !known.has(name))
  if (unknown === undefined) return
  throw new CliError(`no event is called ${unknown}; see: callplane api listEventTypes`, exitCodes.usage)
}
