import type { EngineAction } from '../../core/dialplan/engine-action.ts'
import { notFound, writeEngineXml } from './engine-xml.ts'

/** Writes the dial plan of one call: a context with one extension that runs these applications. */
export function writeDialplanXml(context: string, actions: readonly EngineAction[]): string {
  const action = actions.map(({ application, data }) => ({ '@application': application, '@data': data }))
  const extension = { '@name': 'callplane', condition: { action } }
  return writeEngineXml({ '@name': 'dialplan', context: { '@name': context, extension } })
}

/** Writes the answer for a call that the platform gives no route. */
export function notFoundXml(): string {
  return writeEngineXml(notFound)
}
