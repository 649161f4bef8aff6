import { XMLBuilder } from 'fast-xml-parser'
import type { DirectoryDocument, DirectoryUser } from '../../core/directory/directory-document.ts'

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  processEntities: true,
})

type Settings = Readonly<Record<string, string>>

/**
 * A directory answer in the engine's XML. Every value goes through the serializer as an attribute: no value can end
 * its place or add another.
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
  return builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8', '@standalone': 'no' },
    document: { '@type': 'freeswitch/xml', section },
  })
}

function users(user: DirectoryUser | undefined): object | '' {
  if (user === undefined) return ''
  return {
    user: {
      '@id': user.id,
      ...(user.numberAlias === undefined ? {} : { '@number-alias': user.numberAlias }),
      ...(user.cacheableMs === undefined ? {} : { '@cacheable': String(user.cacheableMs) }),
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
