import type { Command } from 'commander'
import { CliError, exitCodes } from '../failure/exit.ts'
import { collect, wholeNumber } from '../input/values.ts'
import { followEvents, latestNumber } from '../listen/event-source.ts'
import type { ListedEvent } from '../listen/delivery.ts'
import { forward } from '../listen/forward.ts'
import { ListenStore } from '../listen/listen-state.ts'
import { type Session, domainOf, withSession } from '../session/session.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { checkNames, printEvents } from './events.ts'
import { examples } from './examples.ts'

interface ListenOptions {
  readonly since?: number
  readonly event?: readonly string[]
  readonly showSecret?: true
}

const notes = `
Each event is a POST with the headers and the signature of a real delivery. The secret is made once for the profile;
--show-secret prints it. Events are taken from the list of the domain, in the order of their numbers. The number of the
last event that your URL took is kept for the profile, so listening goes on there after a break, without a hole: while
your URL does not answer, the same event is sent again. Numbers without an event and times of possible loss are shown.
The platform keeps the newest 5 000 events of the last 24 hours.`

/** Adds the command that forwards the events of a domain to a URL. */
export function addListen(program: Command, terminal: Terminal): void {
  program
    .command('listen [url]')
    .description(
      'Forward the events of the domain to a URL on this machine, signed like deliveries of a hook, until Ctrl-C. Without a URL, print them.',
    )
    .option(
      '--since <number>',
      'begin after this event; 0 is the oldest kept (default: where it ended, first: now)',
      wholeNumber(0, 999_999_999_999_999),
    )
    .option('--event <name>', 'forward only these events; may be given several times', collect)
    .option('--show-secret', 'print the secret of the signatures first')
    .addHelpText(
      'after',
      `${notes}\n${examples('listen http://127.0.0.1:9000/events', 'listen http://127.0.0.1:9000/events --since 0 --event CHANNEL_ANSWER')}`,
    )
    .action(withSession(terminal, listen))
}

async function listen(session: Session, url: string | undefined, options: ListenOptions): Promise<void> {
  const { out, signal, profile, folder } = session
  if (url === undefined) {
    const { since, event: name } = options
    return printEvents(session, { follow: true, ...(since === undefined ? {} : { since }), ...(name && { name }) })
  }
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new CliError(`the URL must begin with http:// or https://, got ${JSON.stringify(url)}`, exitCodes.usage)
  }
  await checkNames(session, options.event ?? [])
  const store = new ListenStore(folder, profile)
  const domain = await domainOf(session)
  const key = `${session.url} ${domain} ${url}`
  const source = { session, domain }
  const begin = options.since ?? store.position(key) ?? (await latestNumber(source))
  store.advance(key, begin)
  if (options.showSecret === true && out.isJson) out.json({ secret: store.secret }, true)
  else if (options.showSecret === true) out.line(store.secret)
  out.note(`forwarding the events of ${domain} after number ${begin} to ${url}; end with Ctrl-C`)
  const target = {
    url,
    key,
    secret: store.secret,
    onRetry: ({ sequence, name }: { sequence: number; name: string }, reason: string, waitMs: number) =>
      out.warn(`event ${sequence} ${name}: ${reason}; sent again in ${waitMs / 1000} s`),
  }
  const report = reporterOf(session)
  const send = async (event: ListedEvent) => {
    if (options.event?.includes(event.name) === false) return true
    const result = await forward(event, target, signal)
    if (result !== undefined) report({ ...event, ...result })
    return result !== undefined
  }
  await followEvents(source, begin, send, (sequence) => {
    if (sequence !== store.position(key)) store.advance(key, sequence)
  })
}

interface ForwardedEvent {
  readonly sequence: number
  readonly at: number
  readonly name: string
  readonly uuid: string
  readonly status: number
  readonly durationMs: number
}

function reporterOf({ out }: Session): (event: ForwardedEvent) => void {
  return ({ sequence, at, name, uuid, status, durationMs }) => {
    if (out.isJson) return out.json({ sequence, at, name, uuid, status, durationMs }, true)
    const isTaken = status >= 200 && status < 300
    out.fittedLine([
      { text: out.moment(at), style: 'dim' },
      { text: String(sequence), style: 'dim' },
      { text: name },
      { text: uuid, style: 'dim' },
      { text: String(status), isState: true },
      {
        text: isTaken ? `(${durationMs} ms)` : `(${durationMs} ms) refused for good`,
        style: isTaken ? undefined : 'red',
      },
    ])
  }
}
