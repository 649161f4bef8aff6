import { join } from 'node:path'
import { preparations } from '../contracts/preparations.ts'
import { handlerName, routes } from '../contracts/routes/index.ts'
import { schedules } from '../contracts/schedules.ts'
import { workers } from '../contracts/workers.ts'

/** A function's code: its source and the declaration that it implements. */
export interface Handler {
  /** Folder and file name without ending: `channels/hold-channel`. */
  readonly name: string
  /** The declaration: an operation id, the name of a worker, schedule or preparation, or `$default`. */
  readonly declaration: string
  /** Files that come with the code: by name, their paths below the source folder. */
  readonly files?: Readonly<Record<string, string>> | undefined
}

/** The function that answers requests without a route: unknown paths, wrong methods, aliases. */
export const unmatched: Handler = { name: 'unmatched', declaration: '$default' }

/** The function that tries the platform as a user would. */
export const canary: Handler = { name: 'canary', declaration: 'canary' }

/** Returns the path of a handler's source. */
export function sourceOf(handler: Handler): string {
  return handler === canary ? 'local/smoke/canary.ts' : `functions/${handler.name}.ts`
}

/**
 * Returns the handler of an endpoint, named by its operation id, or of a worker, schedule or preparation, named by its
 * name.
 */
export function handlerOf(group: string, name: string, files?: Handler['files']): Handler {
  return { name: `${group}/${handlerName(name)}`, declaration: name, files }
}

/** The handler of every declared route, worker, schedule and preparation, and of the `$default` route. */
export const handlers: readonly Handler[] = [
  ...routes.map(({ group, operationId, files }) => handlerOf(group, operationId, files)),
  ...workers.map(({ group, name }) => handlerOf(group, name)),
  ...schedules.map(({ group, name }) => handlerOf(group, name)),
  ...preparations.map(({ group, name }) => handlerOf(group, name)),
  unmatched,
]

/** The location of the bundles. Every construct takes it as an input, so that tests can bundle elsewhere. */
export interface Build {
  /** Absolute path of the build folder. */
  readonly folder: string
}

/**
 * Returns the folder of a function's bundle, which is an asset of its own: a change of one function deploys only that
 * one.
 */
export function functionFolder(build: Build, handler: Handler): string {
  return join(build.folder, 'functions', handler.name)
}

/** Returns the folder that the connector's image is built from. */
export function connectorFolder(build: Build): string {
  return join(build.folder, 'connector')
}
