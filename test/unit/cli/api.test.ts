import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { run } from '../../../cli/program.ts'

async function api(words: readonly string[], url = 'http://127.0.0.1:1') {
  let stderr = ''
  const exitCode = await run(['api', ...words], {
    stdin: new PassThrough(),
    stdout: { write: (_text, done) => done?.() },
    stderr: { write: (text) => (stderr += String(text)) },
    env: { CALLPLANE_URL: url, CALLPLANE_TOKEN: 't' },
    platform: 'linux',
    home: '/nonexistent',
    signal: new AbortController().signal,
  })
  return { exitCode, stderr }
}

it.each([
  [['createRole', 'name=clerk', '--body', 'no-such-file.json'], 'name: with --body'],
  [['readHook', 'hook_id=7', '--body', 'no-such-file.json'], 'readHook takes no body'],
])('fields or a body that would be dropped are refused: %j', async (words, problem) => {
  const { exitCode, stderr } = await api(words)

  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(problem)])
})

it('the body of a removal is sent', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'callplane-api-'))
  writeFileSync(join(folder, 'code.json'), '{"code":"123456"}')
  const sent: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    sent.push(`${request.method} ${request.url} ${await text(request)}`)
    response.end('{"status":"OK","info":"ended"}')
  }
  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

  expect((await api(['endTotp', '--body', join(folder, 'code.json')], url)).exitCode).toBe(0)

  expect(sent).toEqual(['DELETE /api/v2/whoami/totp {"code":"123456"}'])
  await once(server.close(), 'close')
  rmSync(folder, { recursive: true })
})

it('fields of the path may stand beside a body', async () => {
  const { stderr } = await api(['updateRole', 'name=clerk', '--body', 'no-such-file.json'])

  expect(stderr).toContain('no-such-file.json')
  expect(stderr).not.toContain('with --body')
})
