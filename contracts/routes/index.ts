import * as accounts from './accounts.ts'
import * as audit from './audit.ts'
import * as auth from './auth.ts'
import * as blacklists from './blacklists.ts'
import * as cdr from './cdr.ts'
import * as channels from './channels.ts'
import * as defaultRoutes from './default-routes.ts'
import * as deliveries from './deliveries.ts'
import * as descriptions from './descriptions.ts'
import * as domainTokens from './domain-tokens.ts'
import * as domainVersions from './domain-versions.ts'
import * as domains from './domains.ts'
import * as email from './email.ts'
import * as engine from './engine.ts'
import * as erasures from './erasures.ts'
import * as events from './events.ts'
import * as gateways from './gateways.ts'
import * as publicRoutes from './public-routes.ts'
import * as hookLab from './hook-lab.ts'
import * as hooks from './hooks.ts'
import * as recordings from './recordings.ts'
import * as roles from './roles.ts'
import type { Route } from './route.ts'
import * as status from './status.ts'

const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'operationId' in value

/** Every route of the service. */
export const routes: readonly Route[] = [
  auth,
  roles,
  domains,
  domainTokens,
  domainVersions,
  accounts,
  channels,
  blacklists,
  defaultRoutes,
  gateways,
  publicRoutes,
  hooks,
  hookLab,
  events,
  deliveries,
  email,
  cdr,
  recordings,
  erasures,
  audit,
  status,
  descriptions,
  engine,
]
  .flatMap((file): unknown[] => Object.values(file))
  .filter(isRoute)

/** Returns a handler's file name without its ending: the operation id in kebab case. */
export function handlerName(operationId: string): string {
  return operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
