import { type MethodAccess, indexed } from './access-kinds.ts'

const routesAccess = {
  list: [{ table: 'routes', actions: ['Query'] }],
  callflows: [{ table: 'routes', actions: ['BatchGetItem'] }],
  read: [{ table: 'routes', actions: ['GetItem'] }],
  create: [{ table: 'routes', actions: ['PutItem', 'UpdateItem'] }],
  replace: [{ table: 'routes', actions: ['PutItem', 'UpdateItem'] }],
  swap: [{ table: 'routes', actions: ['UpdateItem'] }],
  remove: [{ table: 'routes', actions: ['DeleteItem', 'UpdateItem'] }],
} satisfies MethodAccess['defaultRoutes']

/** The access of the ports of calls, commands and connectors. */
export const callsAccess = {
  engine: {
    run: [
      { table: 'commands', actions: ['PutItem', 'GetItem', 'Query', 'UpdateItem'] },
      { queue: 'commands', actions: ['SendMessage'] },
    ],
    send: [
      { table: 'commands', actions: ['PutItem'] },
      { queue: 'commands', actions: ['SendMessage'] },
    ],
  },
  commands: {
    create: [{ table: 'commands', actions: ['PutItem'] }],
    read: [{ table: 'commands', actions: ['GetItem', 'Query'] }],
    claim: [{ table: 'commands', actions: ['UpdateItem'] }],
    withdraw: [{ table: 'commands', actions: ['UpdateItem'] }],
    complete: [{ table: 'commands', actions: ['UpdateItem', 'PutItem'] }],
    endClaimsOf: [
      { table: 'commands', index: true, actions: ['Query'] },
      { table: 'commands', actions: ['UpdateItem'] },
    ],
    keepAlias: [{ table: 'commands', actions: ['PutItem'] }],
    readAlias: [{ table: 'commands', actions: ['GetItem'] }],
    addUnregistrations: [{ table: 'commands', actions: ['BatchWriteItem'] }],
    listUnregistrations: [{ table: 'commands', actions: ['Query'] }],
    endUnregistration: [{ table: 'commands', actions: ['DeleteItem'] }],
  },
  knownCalls: {
    put: [{ table: 'knownCalls', actions: ['UpdateItem'] }],
    read: [{ table: 'knownCalls', actions: ['GetItem'] }],
    list: indexed('knownCalls'),
    listOf: [{ table: 'knownCalls', actions: ['Query'] }],
    remove: [{ table: 'knownCalls', actions: ['BatchWriteItem'] }],
    place: [{ table: 'knownCalls', actions: ['UpdateItem'] }],
    answered: [{ table: 'knownCalls', actions: ['UpdateItem'] }],
    listPlaced: [{ table: 'knownCalls', actions: ['Query'] }],
    unplace: [{ table: 'knownCalls', actions: ['DeleteItem', 'UpdateItem'] }],
  },
  connectorStatus: {
    report: [{ table: 'connectors', actions: ['PutItem'] }],
    list: [{ table: 'connectors', actions: ['Query'] }],
    countStart: [{ table: 'connectors', actions: ['UpdateItem'] }],
    noteWait: [{ table: 'connectors', actions: ['PutItem'] }],
    listWaits: [{ table: 'connectors', actions: ['Query'] }],
  },
  gaps: {
    record: [{ table: 'gaps', actions: ['PutItem'] }],
    list: [{ table: 'gaps', actions: ['Query'] }],
  },
  blacklists: {
    add: [{ table: 'blacklists', actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] }],
    read: [{ table: 'blacklists', actions: ['GetItem'] }],
    names: [{ table: 'blacklists', actions: ['Query'] }],
    page: [{ table: 'blacklists', actions: ['GetItem', 'Query'] }],
    entries: [{ table: 'blacklists', actions: ['GetItem', 'Query'] }],
    remove: [{ table: 'blacklists', actions: ['GetItem', 'UpdateItem', 'DeleteItem'] }],
    removeList: [{ table: 'blacklists', actions: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] }],
    sweep: [{ table: 'blacklists', actions: ['Query', 'BatchWriteItem', 'DeleteItem'] }],
  },
  defaultRoutes: routesAccess,
  publicRoutes: routesAccess,
} satisfies Partial<MethodAccess>
