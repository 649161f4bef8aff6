import * as routes from '../../contracts/routes/auth.ts'
import { whoAmI } from '../../core/auth/who-am-i.ts'
import { endpoint } from '../endpoint.ts'

export const handler = endpoint(routes.whoAmI, {}, async ({ caller, settings }) => ({
  ...whoAmI(caller),
  cdr: { host: settings.publicUrl, useProxy: 'true' as const },
}))
