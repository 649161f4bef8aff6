import { join } from 'node:path'
import { preparations } from '../contracts/preparations.ts'
import { handlerName, routes } from '../contracts/routes/index.ts'
import { schedules } from '../contracts/schedules.ts'
import { workers } from '../contracts/workers.ts'

/** A function's code: where its source is, and what asks for it. */
export interface Handler {
  /** Folder and file name without ending: `channels/hold-channel`. */
  readonly name: string
  /** What it is the handler of: an operation id, the name of a worker, schedule or preparation, or `$default`. */
  readonly declaration: string
}

/** The function that answers what no route answers: unknown paths, wrong methods, aliases. */
export const unmatched: Handler = { name: 'unmatched', declaration: '$default' }

/** The handler of an endpoint, named by its operation id, or of a worker, schedule or preparation, named by its name. */
export function handlerOf(group: string, name: string): Handler {
  return { name: `${group}/${handlerName(name)}`, declaration: name }
}

/** The handler of every declared route, worker, schedule and preparation, and of the `$default` route. */
export const handlers: readonly Handler[] = [
  ...routes.map(({ group, operationId }) => handlerOf(group, operationId)),
  ...workers.map(({ group, name }) => handlerOf(group, name)),
  ...schedules.map(({ group, name }) => handlerOf(group, name)),
  ...preparations.map(({ group, name }) => handlerOf(group, name)),
  unmatched,
]

/** Where bundles are. Every construct finds its code here, so that tests can bundle elsewhere. */
export interface Build {
  /** Absolute path of the build folder. */
  readonly folder: string
}

/** The folder of a function's bundle, an asset of its own: a change of one function deploys that one only. */
export function functionFolder(build: Build, handler: Handler): string {
  return join(build.folder, 'functions', handler.name)
}

/** The folder that the connector's image is built from. */
export function connectorFolder(build: Build): string {
  return join(build.folder, 'connector')
}
