import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { addressOf, listen } from '../../../packages/laptop/processes/listen.ts'
import { startCommand } from '../../support/platform/command.ts'

const answers: Readonly<Record<string, object>> = {
  'POST /login': { token: 'token', key: 'key', roleName: 'admin', expires: Date.now() + 60_000 },
  'POST /api/v2/hooks': {
    data: { insertedIds: ['hook_1', 'hook_2'], secrets: { hook_1: 'whsec_', hook_2: 'whsec_' } },
  },
  'POST /api/v2/channels': { info: '+OK call_1\n' },
}

/** A platform that is told of each request before it answers, and keeps what was made until it is deleted. */
async function aPlatform(beforeAnswer: (request: string) => void) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    const name = `${request.method} ${request.url?.split('?')[0]}`
    requests.push(name)
    request.resume().once('end', () => {
      beforeAnswer(name)
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers[name] ?? {}))
    })
  })
  await listen(server, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => void server.close())
  return { url: `http://${addressOf(server)}`, requests }
}

const hooks = ['DELETE /api/v2/hooks/hook_1', 'DELETE /api/v2/hooks/hook_2']

it.each([
  { at: 'POST /api/v2/hooks', removed: hooks },
  { at: 'POST /api/v2/channels', removed: ['DELETE /api/v2/channels/call_1', ...hooks] },
])('the demo that is stopped while $at is under way removes what that made', async ({ at, removed }) => {
  const { url, requests } = await aPlatform((name) => {
    if (name === at) demo.interrupt()
  })
  const demo = startCommand(process.execPath, ['local/demo.ts'], {
    cwd: process.cwd(),
    env: { PATH: process.env['PATH'], API_URL: url, DEMO_PASSWORD: 'planted' },
  })

  const { status, output } = await demo.ended()

  expect(requests.slice(requests.indexOf(at) + 1).sort()).toEqual(removed)
  expect({ status, output }).toEqual({ status: 1, output: expect.stringMatching(/\ndemo failed: it was stopped\n$/) })
})
