import type { Header } from '../events/engine-event.ts'
import { fromByteText, toByteText } from '../runtime/byte-text.ts'
import type { XmlLookup } from './xml-lookup.ts'
import { attribute, children, readDocument } from './xml-answer.ts'

/** An application of the answer with its data. All byte text. */
interface RoutedApplication {
  readonly name: string
  readonly data: string
}

/**
 * Asks for the route of a call (`xml-curl/call-dialplan-2.http`); `headers` are those of its channel.
 * Returns the applications, none if the service gives the call no route. Rejects when the service fails or answers no
 * document.
 */
export async function askDialplan(
  lookup: XmlLookup,
  headers: readonly Header[],
): Promise<readonly RoutedApplication[]> {
  const form: Record<string, string> = { hostname: 'fs1', section: 'dialplan', 'Event-Name': 'REQUEST_PARAMS' }
  for (const [name, value] of headers) {
    form[fromByteText(name)] = fromByteText(typeof value === 'string' ? value : `ARRAY::${value.join('|:')}`)
  }
  const sections = children(readDocument(await lookup(form)), 'section')
  const context = children(sections[0], 'context')[0]
  const conditions = children(children(context, 'extension')[0], 'condition')
  return conditions
    .flatMap((condition) => children(condition, 'action'))
    .map((action) => ({
      name: toByteText(attribute(action, 'application') ?? ''),
      data: toByteText(attribute(action, 'data') ?? ''),
    }))
}
