import type { DirectoryDocument, DirectoryUser } from '../../core/directory/directory-document.ts'
import { notFound, writeEngineXml } from './engine-xml.ts'

type Settings = Readonly<Record<string, string>>

/** Writes a directory answer in the engine's XML. */
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
    : notFound
  return writeEngineXml(section)
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
