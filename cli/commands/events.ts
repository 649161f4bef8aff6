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
  const source = { session, domain: await domainOf(session) }
  const print = eventPrinter(out)
  const isWanted = ({ name, uuid, event }: ListedEvent) =>
    (options.name?.includes(name) ?? true) &&
    (options.call === undefined || [uuid, event['Other-Leg-Unique-ID']].includes(options.call.toLowerCase()))
  const begin = options.since ?? (await beginning(source, options.limit ?? (options.follow === true ? 0 : 20)))
  if (options.follow === true) {
    out.note(`events of ${source.domain} after number ${begin}; end with Ctrl-C`, 'dim')
    return followEvents(source, begin, async (event) => {
      if (isWanted(event)) print(event)
      return true
    })
  }
  const found: ListedEvent[] = []
  for (let position = begin, more = true; more && !session.signal.aborted; ) {
    const page = await readEvents(session, position, 100)
    found.push(...page.events.filter(isWanted))
    position = page.next
    more = page.more
  }
  if (found.length === 0) out.note('no event; a domain without a hook has none: callplane hooks create --disabled')
  for (const event of found) print(event)
}

async function beginning(source: EventSource, limit: number): Promise<number> {
  return Math.max(0, (await latestNumber(source)) - limit)
}

/** A name that is never sent would match nothing for ever. Subclasses of other modules are not in the list. */
async function checkNames({ client }: Session, names: readonly string[]): Promise<void> {
  const given = names.filter((name) => !name.startsWith('CUSTOM->'))
  if (given.length === 0) return
  const known = new Set((await client.call('listEventTypes')).data.map(({ event }) => event))
  const unknown = given.find((name) => !known.has(name))
  if (unknown === undefined) return
  throw new CliError(`no event is called ${unknown}; see: callplane api listEventTypes`, exitCodes.usage)
}
