import type { Needs } from './ports.ts'
import type { QueueName } from './resources.ts'

/** The one declaration of the connector: what its task may reach, and the queue that it takes commands from. */
export const connector = {
  consumes: 'commands' satisfies QueueName as QueueName,
  needs: {
    commands: [
      'read',
      'claim',
      'complete',
      'endClaimsOf',
      'keepAlias',
      'readAlias',
      'addUnregistrations',
      'listUnregistrations',
      'endUnregistration',
    ],
    events: ['publish'],
    cdrQueue: ['send'],
    presence: ['list', 'readEach', 'put'],
    knownCalls: ['list', 'listOf', 'put', 'remove'],
    subscriptions: ['version', 'list'],
    accounts: ['read'],
    domains: ['exists', 'read', 'list'],
    gateways: ['read', 'listAll'],
    gatewayStates: ['put', 'remove'],
    connectorStatus: ['report', 'list', 'countStart'],
    gaps: ['record'],
    recordings: ['list', 'expect'],
  },
} as const satisfies { consumes: QueueName; needs: Needs }
