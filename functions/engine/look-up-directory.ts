import { dynamoAccountStore } from '../../adapters/dynamodb/dynamo-account-store.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/dynamo-domain-store.ts'
import * as routes from '../../contracts/routes/engine.ts'
import { lookUpDirectory } from '../../core/directory/look-up-directory.ts'
import { a1Hash } from '../a1-hash.ts'
import { clientVariablesOf } from '../client-variables.ts'
import { endpoint } from '../endpoint.ts'
import { writeDirectoryXml } from './write-directory-xml.ts'

export const handler = endpoint(
  routes.lookUpDirectory,
  { accounts: dynamoAccountStore, domains: dynamoDomainStore },
  async ({ body, settings }, ports) =>
    writeDirectoryXml(await lookUpDirectory(ports, body, { clientVariables: clientVariablesOf(settings), a1Hash })),
)
