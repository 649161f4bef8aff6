import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { Client } from '../../../client/index.ts'
import { runCommand } from '../../support/platform/command.ts'
import { documentText } from '../../support/records/document.ts'
import { type PlainAnswer, type RecordingServer, recordRequests } from '../../support/records/recorded-requests.ts'

const folder = mkdtempSync(join(tmpdir(), 'callplane-download-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const uuid = '11111111-2222-4333-8444-555555555555'

/** The API, which redirects every client that does not ask for JSON, and the object store on another address. */
async function twoServers(): Promise<{ api: RecordingServer; store: RecordingServer; close: () => Promise<void> }> {
  const store = await recordRequests(() => ({ status: 200, body: 'sound' }))
  const link = `${store.url}/object?X-Amz-Signature=s`
  const api = await recordRequests(
    ({ headers }): PlainAnswer =>
      headers.accept === 'application/json'
        ? {
            status: 200,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ url: link, expires: 1, contentType: 'audio/wav', size: 5 }),
          }
        : { status: 302, headers: { location: link } },
  )
  return { api, store, close: async () => void (await Promise.all([api.close(), store.close()])) }
}

/** The lines of a document's code that get a recording. */
function downloadLines(code: string): string {
  const lines = code.split('\n')
  const first = lines.findIndex((line) => line.includes('/files/'))
  return lines.slice(first, lines.findIndex((line) => line.includes('-o call.wav')) + 1).join('\n')
}

/** The first block of shell commands of a document that gets a recording. */
const downloadBlock = (file: string): string =>
  documentText(file)
    .split('```sh\n')
    .find((block) => block.includes('/files/')) ?? ''

const examples = [
  [
    'quick-start.md',
    downloadBlock('quick-start.md'),
    'mkdir .data; printf "X-Key: %s\\nX-Access-Token: %s\\n" "$KEY" "$TOKEN" > .data/headers; API=$BASE',
  ],
  ['recordings.md', downloadBlock('recordings.md'), ''],
] as const

const hasCurl = spawnSync('curl', ['--version']).status === 0 && spawnSync('bash', ['-c', 'true']).status === 0

it.each(examples)('the download that %s shows sends no credential to the object store', async (_, code, before) => {
  const { api, store, close } = await twoServers()
  await using closing = new AsyncDisposableStack()
  closing.defer(close)
  const script = `set -e\ncd '${folder}'\n${before}\n${downloadLines(code).replaceAll('<uuid>', uuid)}`
  const secrets = { KEY: 'the-key', TOKEN: 'the-token' }
  expect(downloadLines(code)).toMatch(/curl/)

  if (hasCurl) {
    const env = { PATH: process.env['PATH'] ?? '', BASE: api.url, UUID: uuid, ...secrets }
    const { status, output } = await runCommand('bash', ['-c', script], { cwd: folder, env })

    expect([status, output]).toEqual([0, ''])
    expect(api.requests.map(({ headers }) => headers['x-access-token'])).toEqual(['the-token'])
    expect(store.requests.map(({ headers }) => [headers['x-key'], headers['x-access-token']])).toEqual([
      [undefined, undefined],
    ])
    expect(readFileSync(join(folder, 'call.wav'), 'utf8')).toBe('sound')
  }
})

it('no documented command follows a redirect with a credential', () => {
  const docs = readdirSync('docs').filter((name) => name.endsWith('.md'))
  const blocks = ['../README.md', ...docs].flatMap((name) =>
    documentText(name)
      .split('```')
      .flatMap((block, at) => (at % 2 === 1 ? [{ name, block }] : [])),
  )
  // A command continues after a backslash at the end of its line.
  const commands = blocks.flatMap(({ name, block }) =>
    block
      .replaceAll('\\\n', ' ')
      .split('\n')
      .flatMap((line) => (/\bcurl\s/.test(line) ? [`${name}: ${line}`] : [])),
  )
  const following = commands.filter((line) => /\bcurl\b.*\s(-[a-zA-Z]*L|--location)/.test(line))

  expect(commands.length).toBeGreaterThan(10)
  expect(following).toEqual([])
})

it('the client follows no redirect, so that no other host gets its credential', async () => {
  const { api, store, close } = await twoServers()
  await using closing = new AsyncDisposableStack()
  closing.defer(close)
  const redirecting = await recordRequests(() => ({ status: 302, headers: { location: `${store.url}/object` } }))
  closing.defer(() => redirecting.close())
  const options = { token: { key: 'the-key', token: 'the-token' }, retries: 0 }

  await expect(
    new Client({ ...options, url: redirecting.url }).call('readRecording', { params: { uuid } }),
  ).rejects.toThrow()
  const link = await new Client({ ...options, url: api.url }).call('readRecording', { params: { uuid } })

  expect(redirecting.requests).toHaveLength(1)
  expect(store.requests).toEqual([])
  expect(link).toMatchObject({ url: expect.stringContaining(store.url) })
})
