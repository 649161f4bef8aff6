/** Certificates of the tests: an issuer of their own, and what it signs. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The files of a certificate: the certificate with its issuer's, and the key. */
export interface Certificate {
  readonly chain: string
  readonly key: string
}

/** An issuer. */
export interface Issuer {
  /** Its own certificate: the file, and what stands in it. */
  readonly file: string
  readonly pem: string
  /** Signs a certificate for names such as `DNS:localhost` and `IP:127.0.0.1`; each has a serial number of its own. */
  sign(name: string, names: string): Certificate
  remove(): void
}

/** Makes an issuer in a folder of its own. */
export function anIssuer(): Issuer {
  const folder = mkdtempSync(join(tmpdir(), 'callplane-issuer-'))
  const at = (name: string) => join(folder, name)
  const openssl = (...words: string[]) => void execFileSync('openssl', words, { stdio: 'pipe' })
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const file = at('issuer.pem')
  openssl('req', '-x509', ...fresh, '-subj', '/CN=issuer of the tests', '-keyout', at('issuer.key'), '-out', file)
  return {
    file,
    pem: readFileSync(file, 'utf8'),
    sign: (name, names) => {
      const [own, key, chain] = [at(`${name}.crt`), at(`${name}.key`), at(`${name}.pem`)]
      const by = ['-CA', file, '-CAkey', at('issuer.key'), '-days', '30', '-addext', `subjectAltName=${names}`]
      openssl('req', '-x509', ...fresh, ...by, '-subj', `/CN=${name}`, '-keyout', key, '-out', own)
      openssl('crl2pkcs7', '-nocrl', '-certfile', own, '-certfile', file, '-out', at(`${name}.p7`))
      openssl('pkcs7', '-print_certs', '-in', at(`${name}.p7`), '-out', chain)
      return { chain, key }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
