import { expect, it } from 'vitest'
import { eventNames } from '../../../core/events/catalogue.ts'
import { didYouMean, nearest } from '../../../core/requests/nearest.ts'
import { createUnmatched } from '../../../functions/unmatched.ts'
import { gatewayEvent } from '../../support/platform/api.ts'
import { capturedLog } from '../../support/processes/captured-log.ts'

it.each([
  ['CHANNEL_ANSWERED', 'CHANNEL_ANSWER'],
  ['channel_answer', 'CHANNEL_ANSWER'],
  ['CHANNEL_ASNWER', 'CHANNEL_ANSWER'],
  ['CUSTOM->svc::user_creat', 'CUSTOM->svc::user_create'],
])('%s most likely means %s', (given, meant) => {
  expect(nearest(given, eventNames())).toBe(meant)
})

it.each(['', 'X', 'PRESENCE_IN', 'CHANNEL_ANSWER'.repeat(20)])('%s means no known event', (given) => {
  expect(nearest(given, eventNames())).toBeUndefined()
  expect(didYouMean(given, eventNames())).toBe('')
})

async function ask(path: string, accept?: string) {
  const event = gatewayEvent({ method: 'GET', path })
  const headers = accept === undefined ? event.headers : { ...event.headers, accept }
  return createUnmatched(capturedLog())({ ...event, headers })
}

it.each([
  ['/api/v2/channel', '/api/v2/channels'],
  ['/api/v2/account/1000', '/api/v2/accounts/1000'],
  ['/openapi.jsn', '/openapi.json'],
])('the answer to the unknown path %s names the path %s', async (path, near) => {
  const { statusCode, body = '' } = await ask(path)

  expect([statusCode, JSON.parse(body).info]).toEqual([404, `there is no such path; did you mean ${near}?`])
})

it('the answer to a path that is like no other names none', async () => {
  expect(JSON.parse((await ask('/wp-login.php')).body ?? '').info).toBe('there is no such path')
})

it('a browser at the root is led to the API reference, and a program is told that there is nothing', async () => {
  expect(await ask('/', 'text/html,application/xhtml+xml;q=0.9')).toMatchObject({
    statusCode: 302,
    headers: { Location: '/docs', Vary: 'Accept' },
  })
  expect((await ask('/', 'application/json')).statusCode).toBe(404)
  expect((await ask('/')).statusCode).toBe(404)
})
