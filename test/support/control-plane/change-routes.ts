import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { holdChannel } from '../../../contracts/routes/channels.ts'
import { takeCdr } from '../../../contracts/routes/engine.ts'
import { handlerName, routes } from '../../../contracts/routes/index.ts'
import type { Route } from '../../../contracts/routes/route.ts'

/** The folder of the bundles. */
export const build = { folder: join(process.cwd(), '.build', 'bundles') }

const added = { ...takeCdr, operationId: 'takeRecord', path: '/engine/record' }
const renamed = { ...added, operationId: 'takeRecordAgain', path: '/engine/records' }

const given = [...routes]

/** Changes of the declared routes, by what they are. Routes of engines have a throttle of their own. */
export const routeChanges = {
  'HoldChannel is removed': given.filter((route) => route !== holdChannel),
  'a route is added': [...given, added],
  'it is renamed': [...given, renamed],
  'it is removed': given,
} as const satisfies Readonly<Record<string, readonly Route[]>>

/** Changes what every module sees as the routes. A new one has the code of the route that it was made from. */
export function changeRoutes(change: keyof typeof routeChanges): void {
  for (const { group, operationId } of [added, renamed]) {
    const folderOf = (id: string) => join(build.folder, 'functions', group, handlerName(id))
    cpSync(folderOf(takeCdr.operationId), folderOf(operationId), { recursive: true })
  }
  Array.prototype.splice.call(routes, 0, routes.length, ...routeChanges[change])
}
