import { memberOf } from '../document/model.ts'
import { normalAccount, normalRole } from '../document/normal-form.ts'
import { type RecordKind, type StepOf, changeOf } from '../document/steps.ts'
import { ifMissing, readRoles } from './read-domain.ts'
import { accountBody, assignmentsBetween, emailBody, gatewayBody } from './request-bodies.ts'
import { newPassword } from './secret-source.ts'
import { accountOf, emailOf, entryOf, gatewayOf, settingsOf } from './shown-records.ts'
import { type StepDeps, requireBefore } from './step-deps.ts'
import { takeHookStep, takeRouteStep } from './unnamed-steps.ts'

const takers: { readonly [K in RecordKind]: (step: StepOf<K>, deps: StepDeps) => Promise<void> } = {
  role: takeRoleStep,
  blacklist: takeBlacklistStep,
  account: takeAccountStep,
  parameters: takeSettingsStep,
  variables: takeSettingsStep,
  email: takeEmailStep,
  gateway: takeGatewayStep,
  route: takeRouteStep,
  publicRoute: takeRouteStep,
  hook: takeHookStep,
}

/**
 * Takes one step. The record is read first and must be as the step expects; the change then demands the version that
 * was read. Throws a {@link DocumentError} if the record is another, and the `CallplaneError` of a refused request.
 */
export async function takeStep<K extends RecordKind>(step: StepOf<K>, deps: StepDeps): Promise<void> {
  await takers[step.kind](step, deps)
}

async function takeRoleStep(step: StepOf<'role'>, deps: StepDeps): Promise<void> {
  const { client, domain, signal } = deps
  const { name, after } = step
  const common = { query: { domain }, signal }
  const body = after === null ? {} : { allows: after.allows, parents: after.parent }
  if (step.before === null) {
    await client.call('createRole', { ...common, body: { ...body, roles: name } })
    return
  }
  const input = { ...common, params: { name } }
  // The version comes first: what changes after it fails the demand of the change.
  const { headers } = await client.callForHeaders('readRole', input)
  const ifMatch = headers.get('etag') ?? ''
  const role = memberOf(await readRoles(deps), name)
  requireBefore(step, role && normalRole(role))
  if (after === null) await client.call('deleteRole', { ...input, ifMatch })
  else await client.call('updateRole', { ...input, ifMatch, body })
}

async function takeBlacklistStep(step: StepOf<'blacklist'>, { client, domain, signal }: StepDeps): Promise<void> {
  const at = step.name.lastIndexOf('/')
  const [list, number] = [step.name.slice(0, at), step.name.slice(at + 1)]
  const input = { params: { blacklist_name: list, blacklist_number: number }, query: { domain }, signal }
  const [entry] = await client.call('readBlacklistNumber', input)
  requireBefore(step, entry === undefined ? null : entryOf(entry.expires, entry.note))
  if (step.after === null) {
    await client.call('removeBlacklistNumber', input)
    return
  }
  const body = { number, ...step.after }
  await client.call('addBlacklistNumber', { params: { blacklist_name: list }, query: { domain }, body, signal })
}

async function takeAccountStep(step: StepOf<'account'>, { client, domain, signal, secrets }: StepDeps): Promise<void> {
  const { name, before, after } = step
  const common = { query: { domain }, signal }
  if (before === null && after !== null) {
    const password = newPassword(name, after, secrets)
    await client.call('createAccount', { ...common, body: { login: name, password, ...accountBody(after, secrets) } })
    return
  }
  const input = { ...common, params: { account_id: name } }
  const { body, headers } = await client.callForHeaders('readAccount', input)
  const stored = normalAccount(accountOf(body.data), name, domain)
  requireBefore(step, stored)
  const ifMatch = headers.get('etag') ?? ''
  if (after === null) {
    await client.call('deleteAccount', { ...input, ifMatch })
    return
  }
  const changes = {
    ...(stored.role === after.role ? {} : { role: after.role }),
    parameters: assignmentsBetween(stored.parameters, after.parameters, secrets),
    variables: assignmentsBetween(stored.variables, after.variables, secrets),
  }
  await client.call('updateAccount', { ...input, ifMatch, body: changes })
}

async function takeSettingsStep(
  step: StepOf<'parameters'> | StepOf<'variables'>,
  { client, domain, signal, secrets }: StepDeps,
): Promise<void> {
  const input = { params: { domain_name: domain }, signal }
  const { body: shown, headers } = await client.callForHeaders('readDomain', input)
  const stored = settingsOf(shown.info, step.kind)
  requireBefore(step, stored)
  const body = assignmentsBetween(stored, step.after ?? {}, secrets)
  const operation = step.kind === 'parameters' ? 'updateDomainParameters' : 'updateDomainVariables'
  await client.call(operation, { ...input, ifMatch: headers.get('etag') ?? '', body })
}

async function takeEmailStep(step: StepOf<'email'>, { client, domain, signal, secrets }: StepDeps): Promise<void> {
  const input = { query: { domain }, signal }
  const found = await client.callForHeaders('readEmailSettings', input).catch(ifMissing)
  requireBefore(step, found === null ? null : emailOf(found.body))
  const ifMatch = found?.headers.get('etag') ?? ''
  if (step.after === null) {
    await client.call('deleteEmailSettings', { ...input, ifMatch })
    return
  }
  const body = emailBody(step.after, step.before, secrets)
  if (changeOf(step) === 'add') await client.call('createEmailSettings', { ...input, body })
  else await client.call('replaceEmailSettings', { ...input, ifMatch, body })
}

async function takeGatewayStep(step: StepOf<'gateway'>, { client, domain, signal, secrets }: StepDeps): Promise<void> {
  const { name, before, after } = step
  const common = { query: { domain }, signal }
  if (before === null && after !== null) {
    await client.call('createGateway', { ...common, body: { name, ...gatewayBody(after, null, secrets) } })
    return
  }
  const input = { ...common, params: { gateway_name: name } }
  const found = await client.callForHeaders('readGateway', input).catch(ifMissing)
  const stored = found && gatewayOf(found.body.data)
  requireBefore(step, stored)
  const ifMatch = found?.headers.get('etag') ?? ''
  if (after === null) await client.call('deleteGateway', { ...input, ifMatch })
  else await client.call('replaceGateway', { ...input, ifMatch, body: gatewayBody(after, stored, secrets) })
}
