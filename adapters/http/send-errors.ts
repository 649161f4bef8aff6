/** A forbidden address or port: no socket was opened to it. */
export class BlockedAddress extends Error {
  override readonly name = 'BlockedAddress'
}

/** The name has no address, or the resolver did not say. */
export class NameFailure extends Error {
  override readonly name = 'NameFailure'
  constructor(cause: unknown) {
    super('the name does not resolve', { cause })
  }
}

/** No connection in the time that connecting may take. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout'
}

/** No complete answer in the time that a request may take. */
export class TotalTimeout extends Error {
  override readonly name = 'TotalTimeout'
}

/** The peer sent more over the wire than an answer may take. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge'
}

/** The recorded reason of a failed attempt. */
export type SendFailure = 'blocked address' | 'timeout' | 'dns' | 'tls' | 'network'

const tlsCode =
  /^(?:ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|HOSTNAME_MISMATCH|EPROTO$)/

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Returns the contract's word for an error of the client, socket or resolver. */
export function failureOf(error: unknown): SendFailure {
  if (error instanceof BlockedAddress) return 'blocked address'
  if (error instanceof NameFailure) return 'dns'
  if (error instanceof ConnectTimeout || error instanceof TotalTimeout) return 'timeout'
  const code = codeOf(error)
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout'
  return tlsCode.test(code) ? 'tls' : 'network'
}
