import { fromByteText } from '../runtime/byte-text.ts'
import { type EngineEvent, type HeaderValue, arrayText } from '../events/engine-event.ts'
import { percentEncode } from './percent-encode.ts'

/** The formats of events on the socket. */
export type EventFormat = 'plain' | 'json' | 'xml'

const serializers = { plain, json, xml }

/** Returns a whole event frame. Its own length comes before its type, other than in every other frame. */
export function eventFrame(event: EngineEvent, format: EventFormat): string {
  const text = serializers[format](event)
  return `Content-Length: ${text.length}\nContent-Type: text/event-${format}\n\n${text}`
}

/** Returns an event without its frame, as `uuid_dump` answers it. */
export function eventText(event: EngineEvent, format: EventFormat): string {
  return serializers[format](event)
}

/** An empty body appears in JSON only (`control/bgapi-*`). */
function plain(event: EngineEvent): string {
  const lines = event.headers.map(([name, value]) => `${name}: ${percentEncode(arrayText(value))}\n`)
  const { body = '' } = event
  const end = body === '' ? '\n' : `Content-Length: ${body.length}\n\n${body}`
  return lines.join('') + end
}

/** One object with a string or an array of strings for each header, keys twice where headers are. */
function json(event: EngineEvent): string {
  const members = event.headers.map(([name, value]) => `${quote(name)}:${jsonValue(value)}`)
  if (event.body !== undefined) {
    members.push(`"Content-Length":"${event.body.length}"`, `"_body":${quote(event.body)}`)
  }
  return `{${members.join(',')}}`
}

function jsonValue(value: HeaderValue): string {
  return typeof value === 'string' ? quote(value) : `[${value.map(quote).join(',')}]`
}

/** Byte text as a JSON string; bytes above 127 go out as they are, valid UTF-8 or not. */
function quote(bytes: string): string {
  return JSON.stringify(bytes)
}

/** The event's elements are not well formed where a header's name is no XML name; the engine does not mind. */
function xml(event: EngineEvent): string {
  const elements = event.headers.flatMap(([name, value]) =>
    [value].flat().map((one) => `    <${name}>${percentEncode(one)}</${name}>\n`),
  )
  const body =
    event.body === undefined
      ? ''
      : `  <Content-Length>${event.body.length}</Content-Length>\n  <body>${xmlText(event.body)}</body>\n`
  return `<event>\n  <headers>\n${elements.join('')}  </headers>\n${body}</event>\n`
}

/** Only a body is XML text; headers are percent-encoded there too. After a line end the closing tag is indented. */
function xmlText(bytes: string): string {
  const escaped = bytes.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const ascii = fromByteText(escaped).replace(
    /[^\n -~]/gu,
    (one) => `&#x${one.codePointAt(0)?.toString(16).toUpperCase()};`,
  )
  return ascii.endsWith('\n') ? `${ascii}  ` : ascii
}
