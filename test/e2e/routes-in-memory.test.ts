/**
 * The route lookup of engines over the stores of a whole platform: what is read for many calls, and when a change
 * rules.
 */
import { expect, it } from 'vitest'
import { planted } from '../support/invariants/secret-forms.ts'
import { aPlatform } from '../support/platform/platform.ts'
import { opened } from '../support/processes/opened.ts'
import { engineAuthorization } from '../support/platform/engine-credential.ts'

const domain = 'calls.example.com'
const harness = opened(() => aPlatform())

/** Asks as an engine for the route of a call, and answers the cause with which it ends. */
async function causeOf(number: string): Promise<string> {
  const fields = { section: 'dialplan', 'Hunt-Context': domain, 'Hunt-Destination-Number': number }
  const response = await fetch(`${harness().url}/engine/dialplan`, {
    method: 'POST',
    headers: { ...engineAuthorization(planted('engine')) },
    body: new URLSearchParams(fields),
  })
  const text = await response.text()
  return /application="hangup" data="(\w+)"/.exec(text)?.[1] ?? `${response.status} ${text.includes('not found')}`
}

it('many calls of a domain share readings, a new route takes the next call, and a change or removal rules a second later', async () => {
  const admin = await harness().tenant(domain)
  const create = async (destination_number: string, cause: string) =>
    admin.call('createDefaultRoute', { body: { destination_number, callflow: [{ hangup: cause }] } })
  expect(await causeOf('50')).toBe('200 true')
  const { _id } = await create('5.', 'USER_BUSY')
  expect(await causeOf('50')).toBe('USER_BUSY')

  const asked: string[] = []
  harness().platform.gate.watchCalls(({ roleArn, action }) => {
    if (/lookUpDialplan/i.test(roleArn)) asked.push(action)
  })
  const causes = await Promise.all(Array.from({ length: 12 }, () => causeOf('51')))
  expect(new Set(causes)).toEqual(new Set(['USER_BUSY']))
  // A reading of domain, account, number, routes and callflow; twice when a second ends meanwhile.
  expect(asked.length).toBeLessThanOrEqual(10)

  const params = { route_id: _id }
  await admin.call('replaceDefaultRoute', {
    params,
    body: { destination_number: '5.', callflow: [{ hangup: 'NO_ANSWER' }] },
  })
  await expect.poll(() => causeOf('50'), { timeout: 5_000 }).toBe('NO_ANSWER')
  await admin.call('deleteDefaultRoute', { params })
  await expect.poll(() => causeOf('50'), { timeout: 5_000 }).toBe('200 true')
})

it('a change of the route of an emergency number rules the very next call', async () => {
  const admin = await harness().root()
  const query = { domain }
  const body = (cause: string) => ({ destination_number: '112', callflow: [{ hangup: cause }] })
  const { _id: route_id } = await admin.call('createDefaultRoute', { query, body: body('NO_ANSWER') })
  expect(await causeOf('112')).toBe('NO_ANSWER')

  await admin.call('replaceDefaultRoute', { query, params: { route_id }, body: body('USER_BUSY') })

  expect(await causeOf('112')).toBe('USER_BUSY')
})
