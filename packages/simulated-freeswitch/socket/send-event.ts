import type { EventDraft } from '../events/event-bus.ts'
import type { Header, HeaderValue } from '../events/engine-event.ts'
import type { SocketCommand } from './command-reader.ts'
import { eventNamed } from './event-names.ts'

/**
 * Returns the event that a `sendevent` command injects. Its headers come before the engine's own and are not checked,
 * so that a client can write `Event-Name` or `Core-UUID` too; empty ones are dropped, a name that is no event's is
 * CUSTOM (`events/sendevent-custom`).
 */
export function sentEvent(command: SocketCommand, uuid: string): EventDraft {
  const name = eventNamed(command.line.slice('sendevent'.length).trim()) ?? 'CUSTOM'
  const sent = collectHeaders(command.headers)
  const subclass = sent.filter(([header]) => header === 'Event-Subclass')
  const others = sent.filter(([header]) => header !== 'Event-Subclass')
  return {
    name,
    place: ['mod_event_socket.c', 'parse_command', 2272],
    leading: [...subclass, ['Command', command.line], ...others, ['Event-UUID', uuid]],
    ...(command.body === undefined ? {} : { body: command.body }),
  }
}

function collectHeaders(sent: SocketCommand['headers']): Header[] {
  const collected: [string, HeaderValue][] = []
  for (const [name, text] of sent) {
    const member = /^(.+)\[(.*)\]$/.exec(name)
    const value = parseValue(text)
    if (value === undefined) continue
    if (member?.[1] === undefined) collected.push([name, value])
    else putMember(collected, member[1], Number.parseInt(member[2] ?? '', 10) || 0, text)
  }
  return collected
}

/** An empty value and an empty array are dropped; both are how the engine deletes a header. */
function parseValue(text: string): HeaderValue | undefined {
  if (!text.startsWith('ARRAY::')) return text === '' ? undefined : text
  const members = text.slice('ARRAY::'.length)
  return members === '' ? undefined : members.split('|:')
}

/** `name[2]: value` sets one member; `name[]` is member 0. */
function putMember(collected: [string, HeaderValue][], name: string, index: number, value: string): void {
  const held = collected.find(([header]) => header === name)
  if (held === undefined) collected.push([name, [value]])
  else {
    const members = [held[1]].flat()
    members[Math.min(index, members.length)] = value
    held[1] = members
  }
}
