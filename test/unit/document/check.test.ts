import { expect, it } from 'vitest'
import { applyPlan, findDomain } from '../../../cli/deploy/apply-plan.ts'
import { checkSteps, requireSecrets } from '../../../cli/deploy/check-steps.ts'
import type { DomainDocument } from '../../../cli/document/model.ts'
import { makePlan } from '../../../cli/document/plan.ts'
import { aDomainInMemory, documentOf } from './domains.ts'

const desk = 'accounts:\n  1000: {role: admin}\n'

/** Returns the plan from a domain with one account to a document. */
async function planTo(document: DomainDocument) {
  const memory = await aDomainInMemory()
  return { ...memory, plan: makePlan(await memory.read(), document, memory.api.clock.now()) }
}

it('a plan that gives an account a role which the domain will not have is refused', async () => {
  const text = `${desk}  alice: {role: clerk, password: "\${env:SECRET}"}`

  await expect(planTo(documentOf(text))).rejects.toThrow('account alice: there is no role "clerk"')
})

it('a plan may use the roles that it makes', async () => {
  const { plan } = await planTo(
    documentOf(`roles: {clerk: {allows: {hook: [r]}}}\n${desk}  alice: {role: clerk, password: "\${env:SECRET}"}`),
  )

  expect(plan.steps.map(({ name }) => name)).toContain('alice')
})

it.each([
  [
    'routes: {default: [{name: x, pattern: "^((", callflow: [{answer: ""}]}]}',
    /default route "x" .*destination_number: /,
  ],
  ['routes: {public: [{name: x, pattern: "^1$", callflow: [{frob: 1}]}]}', /public route "x" .*callflow/],
  ['hooks: [{event: DTMF, url: "http://169.254.169.254/"}]', /hook DTMF to http:.*action\.url: must not point/],
])('the platform judges a plan before its first step: %s', async (text, problem) => {
  const { plan, target } = await planTo(documentOf(text))

  await expect(checkSteps(target, plan.steps)).rejects.toThrow(problem)
})

it('a hook with a secret in a header passes the check, though the secret is not at hand', async () => {
  const { plan, target, read } = await planTo(
    documentOf('hooks: [{event: DTMF, url: "https://crm.example.com/", headers: {X-Api-Key: "${env:NOT_AT_HAND}"}}]'),
  )

  await checkSteps(target, plan.steps)

  expect((await read()).hooks).toEqual([])
})

it.each([
  [`${desk}  alice: {password: "\${env:AWAY}"}`, 'account alice: the environment variable AWAY is not set'],
  [`${desk}  alice: {role: user}`, 'accounts.alice: is new and needs a password'],
  ['parameters: {vm-password: "${env:AWAY}"}', 'parameters of the domain: the environment variable AWAY is not set'],
  [
    'hooks: [{event: DTMF, url: "https://crm.example.com/", headers: {X-Api-Key: "${env:AWAY}"}}]',
    'hook DTMF to https://crm.example.com/: the environment variable AWAY is not set',
  ],
])('a missing secret refuses the whole plan: %s', async (text, problem) => {
  const { plan } = await planTo(documentOf(text))

  expect(() => requireSecrets(plan.steps, { env: {} })).toThrow(problem)
})

it('an apply whose last step lacks its secret changes nothing', async () => {
  const { apply, read } = await aDomainInMemory()

  const applied = apply(
    documentOf(
      'blacklists: {spam: [1]}\nhooks: [{event: DTMF, url: "https://a.example/", headers: {X-Key: "${env:AWAY}"}}]',
    ),
  )

  await expect(applied).rejects.toThrow('the environment variable AWAY is not set')
  expect((await read()).blacklists).toEqual({})
})

it('an apply that is interrupted says how many steps are done, and the next one goes on', async () => {
  const { api, target, read, apply } = await aDomainInMemory()
  const now = api.clock.now()
  const document = documentOf('blacklists: {spam: [1, 2, 3]}')
  const found = await findDomain(target, now)
  const interrupted = new AbortController()
  const report = (_step: unknown, number: number) => number === 2 && interrupted.abort()
  const deps = { ...target, signal: interrupted.signal, secrets: { env: {} }, now: () => now, report }

  await expect(applyPlan(makePlan(found.state, document, now), found, deps)).rejects.toThrow(
    'interrupted: 2 of 3 steps are done, and apply goes on from here',
  )

  expect(await apply(document)).toBe(1)
  expect(Object.keys((await read()).blacklists['spam'] ?? {})).toEqual(['1', '2', '3'])
})
