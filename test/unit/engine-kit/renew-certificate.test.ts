import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { expect, it } from 'vitest'
import { type Certificate, anIssuer } from '../../support/engine/certificate.ts'
import { runCommand } from '../../support/platform/command.ts'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'
import { opened } from '../../support/processes/opened.ts'

const harness = opened(async () => {
  const [folder, issuer, port] = [mkdtempSync(join(tmpdir(), 'callplane-tls-')), anIssuer(), await freePort()]
  return {
    folder,
    issuer,
    /** By default without an engine. */
    renew: ({ chain, key }: Certificate, settings: Readonly<Record<string, string>> = {}) =>
      runCommand('sh', [join(process.cwd(), 'engine/bin/renew-certificate'), chain, key], {
        cwd: folder,
        env: {
          PATH: process.env['PATH'],
          TLS_FOLDER: folder,
          CA_FILE: issuer.file,
          EVENT_SOCKET_PORT: String(port),
          ...settings,
        },
      }),
    close: async () => {
      rmSync(folder, { recursive: true, force: true })
      issuer.remove()
    },
  }
})
const names = 'DNS:localhost'

it('a certificate is put where the engine reads it when it starts, for the owner of the folder only', async () => {
  const { issuer, renew, folder } = harness()
  const certificate = issuer.sign('engine', names)

  expect(await renew(certificate)).toMatchObject({ status: 0, output: expect.stringContaining('when it starts') })

  expect(readdirSync(folder).toSorted()).toEqual(['cafile.pem', 'tls.pem', 'wss.pem'])
  const both = readFileSync(certificate.chain, 'utf8') + readFileSync(certificate.key, 'utf8')
  expect(['tls.pem', 'wss.pem'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([both, both])
  expect(readFileSync(join(folder, 'cafile.pem'), 'utf8')).toBe(readFileSync(certificate.chain, 'utf8') + issuer.pem)
  expect(statSync(join(folder, 'tls.pem')).mode % 0o1000).toBe(0o600)
})

it('a certificate that an engine could not use is refused, and the one before stays', async () => {
  const { issuer, renew, folder } = harness()
  await renew(issuer.sign('before', names))
  const before = readFileSync(join(folder, 'tls.pem'), 'utf8')
  const [one, other] = [issuer.sign('one', names), issuer.sign('other', names)]
  const empty = join(folder, 'empty')
  writeFileSync(empty, '')

  for (const wrong of [
    { chain: one.chain, key: other.key },
    { chain: empty, key: one.key },
  ]) {
    expect(await renew(wrong)).toMatchObject({ status: 1 })
  }

  expect(readFileSync(join(folder, 'tls.pem'), 'utf8')).toBe(before)
})

it('an engine at an IPv6 address is given the certificate, and is asked for it', async () => {
  const { issuer, renew } = harness()
  const certificate = issuer.sign('engine', names)
  const [asked, phones] = [
    createServer(
      (socket) => void socket.on('error', () => {}).on('data', (text) => text.includes('exit') && socket.end()),
    ),
    createTlsServer({ cert: readFileSync(certificate.chain), key: readFileSync(certificate.key) }),
  ]
  const [socketPort, sipPort] = [await freePort(), await freePort()]
  await Promise.all([
    once(asked.listen(socketPort, '::1'), 'listening'),
    once(phones.listen(sipPort, '::1'), 'listening'),
  ])
  const at = { EVENT_SOCKET_IP: '::1', EVENT_SOCKET_PORT: `${socketPort}`, SIP_IP: '::1', TLS_PORT: `${sipPort}` }

  expect(await renew(certificate, { ...at, TLS: 'true' })).toEqual({
    status: 0,
    output: `the engine serves the certificate at [::1]:${sipPort}\n`,
  })

  for (const server of [asked, phones]) server.close()
})

it('an event socket that cannot be asked is a failure, and not an engine that does not run', async () => {
  const { issuer, renew } = harness()

  const done = await renew(issuer.sign('engine', names), { EVENT_SOCKET_IP: 'nowhere.invalid' })

  expect(done).toMatchObject({ status: 1, output: expect.stringContaining('nowhere.invalid') })
  expect(done.output).toMatch(/does not answer .* a running engine still uses the old certificate/)
})
