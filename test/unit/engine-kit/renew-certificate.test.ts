import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Certificate, anIssuer } from '../../support/engine/certificate.ts'
import { runCommand } from '../../support/platform/command.ts'
import { freePort } from '../../support/processes/free-port.ts'
import { opened } from '../../support/processes/opened.ts'

const lab = opened(async () => {
  const [folder, issuer, port] = [mkdtempSync(join(tmpdir(), 'callplane-tls-')), anIssuer(), await freePort()]
  return {
    folder,
    issuer,
    /** Without an engine. */
    renew: ({ chain, key }: Certificate) =>
      runCommand('sh', [join(process.cwd(), 'engine/bin/renew-certificate'), chain, key], {
        cwd: folder,
        env: { PATH: process.env['PATH'], TLS_FOLDER: folder, CA_FILE: issuer.file, EVENT_SOCKET_PORT: String(port) },
      }),
    close: async () => {
      rmSync(folder, { recursive: true, force: true })
      issuer.remove()
    },
  }
})
const names = 'DNS:localhost'

it('a certificate is put where the engine reads it when it starts, for the owner of the folder only', async () => {
  const { issuer, renew, folder } = lab()
  const certificate = issuer.sign('engine', names)

  expect(await renew(certificate)).toMatchObject({ status: 0, output: expect.stringContaining('when it starts') })

  expect(readdirSync(folder).toSorted()).toEqual(['cafile.pem', 'tls.pem', 'wss.pem'])
  const both = readFileSync(certificate.chain, 'utf8') + readFileSync(certificate.key, 'utf8')
  expect(['tls.pem', 'wss.pem'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([both, both])
  expect(readFileSync(join(folder, 'cafile.pem'), 'utf8')).toBe(readFileSync(certificate.chain, 'utf8') + issuer.pem)
  expect(statSync(join(folder, 'tls.pem')).mode % 0o1000).toBe(0o600)
})

it('a certificate that an engine could not use is refused, and the one before stays', async () => {
  const { issuer, renew, folder } = lab()
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
