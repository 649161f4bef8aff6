import { XMLBuilder } from 'fast-xml-parser'
import type { DirectoryDocument, DirectoryUser } from '../../core/directory/directory-document.ts'
import { attributeText } from './attribute-text.ts'

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  processEntities: false,
  attributeValueProcessor: (_name, value) => attributeText(String(value)),
  format: true,
})

type Settings = Readonly<Record<string, string>>

/**
 * Writes a directory answer in the engine's XML. The engine reads it line by line before it parses it
 * (docs/engine-behaviour.md), so there is no XML declaration, and each element has its own line. Every value is an attribute
 * written by {@link attributeText}: no value can end the attribute, add another one or be read as a directive.
 */
export function writeDirectoryXml(document: DirectoryDocument): string {
  const section = document.found
    ? {
        '@name': 'directory',
        domain: {
          '@name': document.name,
          params: params(document.parameters),
          variables: variables(document.variables),
          groups: { group: { '@name': 'default', users: users(document.user) } },
        },
      }
    : { '@name': 'result', result: { '@status': 'not found' } }
  return builder.build({ document: { '@type': 'freeswitch/xml', section } })
}

function users(user: DirectoryUser | undefined): object | '' {
  if (user === undefined) return ''
  return {
    user: {
      '@id': user.id,
      ...(user.numberAlias === undefined ? {} : { '@number-alias': user.numberAlias }),
      ...(user.cacheable === undefined ? {} : { '@cacheable': user.cacheable }),
      params: params(user.parameters),
      variables: variables(user.variables),
    },
  }
}

const params = (settings: Settings) => ({ param: named(settings) })

const variables = (settings: Settings) => ({ variable: named(settings) })

function named(settings: Settings): object[] {
  return Object.entries(settings).map(([name, value]) => ({ '@name': name, '@value': value }))
}
