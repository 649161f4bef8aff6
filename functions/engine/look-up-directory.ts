import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import * as routes from '../../contracts/routes/engine.ts'
import { lookUpDirectory } from '../../core/directory/look-up-directory.ts'
import { a1Hash } from '../a1-hash.ts'
import { clientVariablesOf } from '../client-variables.ts'
import { endpoint } from '../endpoint.ts'
import { writeDirectoryXml } from './write-directory-xml.ts'

export const handler = endpoint(
  routes.lookUpDirectory,
  { accounts: dynamoAccountStore, domains: dynamoDomainStore },
  async ({ body, query, settings }, ports) => {
    const context = { clientVariables: clientVariablesOf(settings), a1Hash, cache: query.cache }
    return writeDirectoryXml(await lookUpDirectory(ports, body, context))
  },
)
