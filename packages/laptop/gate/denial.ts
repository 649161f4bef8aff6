import type { ServerResponse } from 'node:http'
import type { Refusal } from '../signature/verify-signature.ts'

/** A refusal in the form of the called service. */
export interface Denial {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A refusal in words that hold for every service. */
export interface Reason {
  readonly code: string
  readonly message: string
  readonly status: number
}

/** Returns the words for a call that no policy allows, as IAM writes them. */
export function accessDenied(roleArn: string, action: string, resource: string, explicit: boolean): Reason {
  const why = explicit
    ? 'with an explicit deny in an identity-based policy'
    : `because no identity-based policy allows the ${action} action`
  const message = `User: ${roleArn} is not authorized to perform: ${action} on resource: ${resource} ${why}`
  return { code: 'AccessDenied', message, status: 403 }
}

const refusals: Readonly<Record<Refusal, Reason>> = {
  MissingAuthenticationToken: { code: 'MissingAuthenticationToken', message: 'the request is not signed', status: 403 },
  IncompleteSignature: { code: 'IncompleteSignature', message: 'the signature is not complete', status: 400 },
  InvalidAccessKeyId: { code: 'InvalidAccessKeyId', message: 'the access key or its token is not known', status: 403 },
  SignatureDoesNotMatch: {
    code: 'SignatureDoesNotMatch',
    message: 'the signature is not that of this request',
    status: 403,
  },
  RequestTimeTooSkewed: {
    code: 'RequestTimeTooSkewed',
    message: 'the time of the request is too far off',
    status: 403,
  },
  RequestExpired: { code: 'AccessDenied', message: 'Request has expired', status: 403 },
  InvalidArgument: { code: 'InvalidArgument', message: 'Only one auth mechanism allowed', status: 400 },
}

/** Returns the words for a signature that was refused. */
export function signatureRefused(refusal: Refusal): Reason {
  return refusals[refusal]
}

const jsonCodes: Readonly<Record<string, string>> = {
  AccessDenied: 'AccessDeniedException',
  MissingAuthenticationToken: 'MissingAuthenticationTokenException',
  IncompleteSignature: 'IncompleteSignatureException',
  InvalidAccessKeyId: 'UnrecognizedClientException',
  SignatureDoesNotMatch: 'InvalidSignatureException',
  RequestTimeTooSkewed: 'InvalidSignatureException',
}

/**
 * Returns the denial in the form of a service: XML for S3, typed JSON for the others. Only SQS and OpenSearch answer
 * 403, others 400.
 */
export function denialOf(service: string, { code, message, status }: Reason): Denial {
  if (service === 's3') {
    const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
    return {
      status,
      headers: { 'content-type': 'application/xml' },
      body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${text}</Message></Error>`,
    }
  }
  if (service === 'es') {
    return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ Message: message }) }
  }
  const type = jsonCodes[code] ?? code
  return {
    status: service === 'sqs' ? status : 400,
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      ...(service === 'sqs' ? { 'x-amzn-query-error': `${code};Sender` } : {}),
    },
    body: JSON.stringify({ __type: `com.amazon.coral.service#${type}`, message, Message: message }),
  }
}

/** Sends a denial. */
export function deny(response: ServerResponse, { status, headers, body }: Denial): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}
