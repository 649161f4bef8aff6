import { DocumentError } from '../document/model.ts'
import { subject } from '../document/explain.ts'
import { comparable } from '../document/secrets.ts'
import type { Step, StepOf, UnnamedKind } from '../document/steps.ts'
import { ifMissing } from './read-domain.ts'
import { hookBody, routeBody } from './request-bodies.ts'
import { hookOf, publicRouteOf } from './shown-records.ts'
import { type StepDeps, requireBefore } from './step-deps.ts'

const operations = {
  route: {
    create: 'createDefaultRoute',
    read: 'readDefaultRoute',
    replace: 'replaceDefaultRoute',
    remove: 'deleteDefaultRoute',
  },
  publicRoute: {
    create: 'createPublicRoute',
    read: 'readPublicRoute',
    replace: 'replacePublicRoute',
    remove: 'deletePublicRoute',
  },
} as const

/** Adds, replaces or removes a default or public route. */
export async function takeRouteStep(step: StepOf<'route'> | StepOf<'publicRoute'>, deps: StepDeps): Promise<void> {
  const { client, domain, signal } = deps
  const { create, read, replace, remove } = operations[step.kind]
  const common = { query: { domain }, signal }
  if (step.before === null && step.after !== null) {
    await client.call(create, { ...common, body: routeBody(step.after) })
    return
  }
  const input = { ...common, params: { route_id: takeId(step, deps) } }
  const found = await client.callForHeaders(read, input).catch(ifMissing)
  requireBefore(step, found && publicRouteOf(found.body))
  const ifMatch = found?.headers.get('etag') ?? ''
  if (step.after === null) await client.call(remove, { ...input, ifMatch })
  else await client.call(replace, { ...input, ifMatch, body: routeBody(step.after) })
}

/** Adds, replaces or removes a hook. The signing secret of a new one goes where secrets are kept. */
export async function takeHookStep(step: StepOf<'hook'>, deps: StepDeps): Promise<void> {
  const { client, domain, signal, secrets } = deps
  const common = { query: { domain }, signal }
  if (step.before === null && step.after !== null) {
    const { data } = await client.call('createHooks', { ...common, body: hookBody(step.after, null, secrets) })
    for (const secret of Object.values(data.secrets)) secrets.keep?.(`signing secret of ${subject(step)}`, secret)
    return
  }
  const input = { ...common, params: { hook_id: takeId(step, deps) } }
  const found = await client.callForHeaders('readHook', input).catch(ifMissing)
  const stored = found && hookOf(found.body.data)
  requireBefore(step, stored)
  const ifMatch = found?.headers.get('etag') ?? ''
  if (step.after === null) await client.call('deleteHook', { ...input, ifMatch })
  else await client.call('replaceHook', { ...input, ifMatch, body: hookBody(step.after, stored, secrets) })
}

/** Returns the id of a record without a name, and never again: equal records are taken one after another. */
function takeId(step: Step & { [K in UnnamedKind]: StepOf<K> }[UnnamedKind], { found, taken }: StepDeps): string {
  const { kind, before } = step
  const { state, routeIds, publicRouteIds, hookIds } = found
  const lists = {
    route: [state.routes, routeIds],
    publicRoute: [state.publicRoutes, publicRouteIds],
    hook: [state.hooks, hookIds],
  } as const
  const [records, ids] = lists[kind]
  const text = comparable(kind, before as never)
  const index = records.findIndex((record, at) => {
    const id = ids[at]
    return id !== undefined && !taken.has(id) && comparable(kind, record as never) === text
  })
  const id = ids[index]
  if (id === undefined) throw new DocumentError(`${subject(step)} is no longer there: plan again`)
  taken.add(id)
  return id
}
