import type { Output, Style } from '../output/output.ts'
import type { ListedEvent } from './delivery.ts'

/** Colours of events whose meaning is not that of their cause. */
const tones: Readonly<Record<string, Style>> = {
  CHANNEL_CREATE: 'bold',
  CHANNEL_ANSWER: 'green',
  CHANNEL_BRIDGE: 'green',
  CHANNEL_HOLD: 'yellow',
  CHANNEL_HANGUP_COMPLETE: 'dim',
}

/** As wide as the longest name of a call's event. */
const nameWidth = 23

/** Returns a printer of events: one line each, or one JSON value a line. */
export function eventPrinter(out: Output): (event: ListedEvent) => void {
  return (listed) => {
    if (out.isJson) return out.json(listed, true)
    const { at, name, uuid, event } = listed
    const [from, to] = [event['Caller-Caller-ID-Number'], event['Caller-Destination-Number']]
    const parties = from === undefined || to === undefined ? '' : `${from} to ${to}`
    const other = event['Gateway'] ?? event['account'] ?? ''
    out.fittedLine([
      { text: out.moment(at), style: 'dim' },
      { text: name.padEnd(nameWidth), style: tones[name] },
      { text: uuid.slice(0, out.isWhole ? undefined : 8), style: 'dim' },
      { text: parties || other },
      { text: event['Hangup-Cause'] ?? event['State'] ?? '', isState: true },
    ])
  }
}
