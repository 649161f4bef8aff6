import type { AdapterContext } from '../../adapters/context.ts'
import { dynamoAccountStore } from '../../adapters/dynamodb/accounts/dynamo-account-store.ts'
import {
  dynamoDefaultRouteStore,
  dynamoPublicRouteStore,
} from '../../adapters/dynamodb/default-routes/dynamo-route-stores.ts'
import { dynamoDomainStore } from '../../adapters/dynamodb/domains/dynamo-domain-store.ts'
import { dynamoGatewayStore } from '../../adapters/dynamodb/gateways/dynamo-gateway-store.ts'
import { systemClock } from '../../adapters/system/system-time.ts'
import { RecentReadings } from '../../core/concurrency/recent-readings.ts'
import type { RouteStore } from '../../core/default-routes/route-store.ts'

/** The most characters of accounts, of routes, of callflows and so on that a process keeps: each is 4 MB at most. */
const keptCharacters = 2_000_000

/** The readings of the stores below, which this process has made in the last second. */
export const recentReadings = new RecentReadings(systemClock, keptCharacters)

const keep: RecentReadings['keep'] = (read) => recentReadings.keep(read)

/** The stores that route calls. A reading counts for a second, so calls of a busy domain need few or no new ones. */
export const recentStores = {
  accounts(context: AdapterContext) {
    const store = dynamoAccountStore(context)
    return {
      ...store,
      read: keep((domain: string, login: string) => store.read(domain, login)),
      readByNumber: keep((domain: string, number: string) => store.readByNumber(domain, number)),
    }
  },
  defaultRoutes: (context: AdapterContext) => withMemory(dynamoDefaultRouteStore(context)),
  publicRoutes: (context: AdapterContext) => withMemory(dynamoPublicRouteStore(context)),
  gateways(context: AdapterContext) {
    const store = dynamoGatewayStore(context)
    return {
      ...store,
      list: keep((domain: string) => store.list(domain)),
      read: keep((domain: string, name: string) => store.read(domain, name)),
    }
  },
  domains(context: AdapterContext) {
    const store = dynamoDomainStore(context)
    return { ...store, read: keep((name: string) => store.read(name)) }
  },
}

function withMemory(store: RouteStore): RouteStore {
  return {
    ...store,
    list: keep((domain: string) => store.list(domain)),
    callflows: keep((domain: string, ids: readonly string[]) => store.callflows(domain, ids)),
  }
}
