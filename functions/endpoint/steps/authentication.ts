import { authenticateEngine } from '../authenticate.ts'
import { type Endpoint, own } from '../endpoint-parts.ts'
import { type Step, left } from '../step.ts'

/** Refuses a request whose credential is missing, wrong or expired, if the route requires one. */
export function authentication({ route, ports }: Endpoint): Step {
  return {
    before: async ({ event: exchange }) => {
      if (route.authentication === 'engine') await authenticateEngine(exchange.event.headers, own(ports.secrets))
      if (route.authentication !== 'token') return
      const { error } = await exchange.credential
      if (error !== undefined) throw error
      left(exchange.caller, 'credential read')
    },
  }
}
