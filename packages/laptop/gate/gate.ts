import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { Role, Statement } from '../assembly/assembly.ts'
import type { Place } from '../assembly/place.ts'
import { addressOf, listen } from '../processes/listen.ts'
import { requestTarget } from '../processes/request-target.ts'
import { type Credential, issueCredential } from '../signature/credential.ts'
import { type Proof, type SignedParts, type Verification, verifySignature } from '../signature/verify-signature.ts'
import type { Backend, SearchBackend, ServiceAnswer, ServiceCall } from './backend.ts'
import { type Reason, accessDenied, denialOf, deny, signatureRefused } from './denial.ts'
import { judge } from './judge.ts'
import { readBody } from './read-body.ts'
import {
  type RequestedAccess,
  dynamoAccess,
  keyAccess,
  listAccess,
  objectAccess,
  searchAccess,
  secretAccess,
  sqsAccess,
} from './requested-access.ts'

/** A call of the object store that was verified and allowed. */
export interface ObjectCall {
  readonly request: IncomingMessage
  /** The body's hex SHA-256 that was signed, or `UNSIGNED-PAYLOAD`. */
  readonly payloadHash: string
  /** Returns whether the caller may list the bucket, and so learn that an object is missing. */
  readonly mayList: () => boolean
}

/** The object store that the gate protects: it streams, so it receives request and response themselves. */
export type ObjectBackend = (request: ObjectCall, response: ServerResponse) => Promise<void>

/** Every store that the gate protects. */
export interface Backends {
  readonly dynamodb: Backend
  readonly sqs: Backend
  readonly secretsmanager: Backend
  readonly kms: Backend
  readonly s3: ObjectBackend
  /** Absent: there is no search domain. */
  readonly es?: SearchBackend | undefined
}

/** One judgement, as an observer sees it. */
export interface Judgement extends RequestedAccess {
  readonly roleArn: string
  readonly allowed: boolean
}

/** One call of a JSON service that was allowed, as an observer sees it. */
export interface AllowedCall {
  readonly roleArn: string
  readonly action: string
  readonly input: unknown
}

/** A call of a JSON service that a part of this process makes itself. */
export interface InnerCall extends Pick<ServiceCall, 'target' | 'isAwaited'> {
  readonly service: Exclude<keyof Backends, 's3' | 'es'>
  readonly input: object
}

const jsonContentType = 'application/x-amz-json-1.0'

/** The largest body of a JSON service: 16 MB for DynamoDB's batches. */
const maxBodyBytes = 17 * 1024 * 1024

/** Short, because an idle connection keeps the module of the function that opened it in memory. */
const keepAliveMs = 2_000

/**
 * The one door to all stores. It verifies the signature of each call, checks the call against the policies of the
 * signing role, and forwards allowed calls. The signature names the service. A part of the same process that acts for a
 * role needs no signature ({@link Gate.callAs}).
 */
export class Gate {
  readonly #server: Server
  readonly #credentials = new Map<string, Credential>()
  readonly #statements = new Map<string, readonly Statement[]>()
  #place: Place | undefined
  #backends: Backends | undefined
  #observe: (judgement: Judgement) => void = () => {}
  #watchCalls: (call: AllowedCall) => void = () => {}

  constructor() {
    this.#server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        console.error(`store: ${error instanceof Error ? error.message : String(error)}`)
        if (!response.headersSent) response.writeHead(500).end()
        else response.destroy()
      })
    })
  }

  /** Starts to listen; answers the base address. Calls are refused until {@link serve}. */
  async open(): Promise<string> {
    await listen(this.#server, { host: '127.0.0.1', port: 0 })
    return `http://${addressOf(this.#server)}`
  }

  serve(place: Place, roles: readonly Role[], backends: Backends): void {
    for (const { arn, statements } of roles) this.#statements.set(arn, statements)
    this.#place = place
    this.#backends = backends
  }

  issue(roleArn: string): Credential {
    const credential = issueCredential(roleArn)
    this.#credentials.set(credential.accessKeyId, credential)
    return credential
  }

  /** Reports every further decision to an observer; for tests that ask which grants are used. */
  observe(observer: (judgement: Judgement) => void): void {
    this.#observe = observer
  }

  /** Reports every allowed call of a JSON service from now on; for benchmarks that count calls. */
  watchCalls(watcher: (call: AllowedCall) => void): void {
    this.#watchCalls = watcher
  }

  /**
   * Answers a request for an object by a link, on the strength of the signature in its query alone. Only the `GET` of
   * an object and the `PUT` of a part with a signed checksum are answered this way, whatever is signed.
   */
  async answerLink(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts = signedParts(request)
    const verification = await this.#verify(parts)
    if ('refusal' in verification) return deny(response, denialOf('s3', signatureRefused(verification.refusal)))
    if (!isLinkRequest(parts)) return deny(response, denialOf('s3', unknownOperation))
    await this.#callObjects(verification.proof, request, response, parts)
  }

  /**
   * Carries out a call for a role without signature and HTTP. It is judged and reported as a signed one, and a refusal
   * is an answer here too. Rejects when a store at another address cannot be reached; nothing is retried.
   */
  async callAs(roleArn: string, { service, target, input, isAwaited }: InnerCall): Promise<ServiceAnswer> {
    const body = Buffer.from(JSON.stringify(input))
    const call = { action: actionOf(target), target, contentType: jsonContentType, body, input, isAwaited }
    return this.#carryOut(roleArn, service, call)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts = signedParts(request)
    const target = request.headers['x-amz-target']
    const isSearch = searchScope.test(request.headers.authorization ?? '')
    const body = typeof target === 'string' || isSearch ? await readBody(request, maxBodyBytes) : undefined
    const verification = await this.#verify({ ...parts, body })
    if ('refusal' in verification) {
      const service = isSearch ? 'es' : typeof target === 'string' ? serviceOfTarget(target) : 's3'
      return deny(response, denialOf(service, signatureRefused(verification.refusal)))
    }
    const { proof } = verification
    if (isSearch) return this.#callSearch(proof, response, parts, String(body))
    if (body !== undefined && typeof target === 'string')
      return this.#callService(proof, request, response, target, body)
    await this.#callObjects(proof, request, response, parts)
  }

  #verify(parts: SignedParts): Promise<Verification> {
    const credentialOf = (accessKeyId: string) => this.#credentials.get(accessKeyId)
    return verifySignature(parts, { credentialOf, now: Date.now() })
  }

  async #callObjects(
    proof: Proof,
    request: IncomingMessage,
    response: ServerResponse,
    { method, rawPath, rawQuery }: SignedParts,
  ): Promise<void> {
    const { roleArn } = proof.credential
    const path = decodeURIComponent(rawPath)
    const refused = this.#judge(roleArn, objectAccess(method, path, new URLSearchParams(rawQuery)))
    if (refused !== undefined) return deny(response, denialOf('s3', refused))
    const mayList = () => this.#judge(roleArn, [listAccess(path)]) === undefined
    await this.#backends?.s3({ request, payloadHash: proof.payloadHash, mayList }, response)
  }

  async #callSearch(proof: Proof, response: ServerResponse, parts: SignedParts, body: string): Promise<void> {
    const { method, rawPath: path, rawQuery: query } = parts
    const backend = this.#backends?.es
    const refused = this.#judge(proof.credential.roleArn, backend && searchAccess(backend.domainArn, method, path))
    if (refused !== undefined || backend === undefined) {
      return deny(response, denialOf('es', refused ?? unknownOperation))
    }
    const answer = await backend.answer({ method, path, query, body })
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer.body) }
    response.writeHead(answer.status, headers).end(answer.body)
  }

  async #callService(
    proof: Proof,
    request: IncomingMessage,
    response: ServerResponse,
    target: string,
    body: Buffer,
  ): Promise<void> {
    const answer = await this.#carryOut(proof.credential.roleArn, proof.service, {
      action: actionOf(target),
      target,
      contentType: request.headers['content-type'] ?? jsonContentType,
      body,
      input: parseJson(body),
      isAwaited: () => !request.socket.destroyed,
    })
    response.writeHead(answer.status, { ...answer.headers, 'content-length': Buffer.byteLength(answer.body) })
    response.end(answer.body)
  }

  async #carryOut(roleArn: string, service: string, call: ServiceCall): Promise<ServiceAnswer> {
    const { action, input } = call
    const refused = this.#judge(roleArn, this.#accessOf(service, action, input))
    if (refused !== undefined) return denialOf(service, refused)
    const backend = this.#backend(service)
    if (backend === undefined) return denialOf(service, { ...unknownOperation, status: 404 })
    this.#watchCalls({ roleArn, action, input })
    return backend(call)
  }

  #accessOf(service: string, action: string, input: unknown): RequestedAccess[] | undefined {
    if (this.#place === undefined) return undefined
    if (service === 'dynamodb') return dynamoAccess(this.#place, action, input)
    if (service === 'sqs') return sqsAccess(this.#place, action, input)
    if (service === 'secretsmanager') return secretAccess(action, input)
    if (service === 'kms') return keyAccess(this.#place, action, input)
    return undefined
  }

  #backend(service: string): Backend | undefined {
    const { dynamodb, sqs, secretsmanager, kms } = this.#backends ?? {}
    return new Map(Object.entries({ dynamodb, sqs, secretsmanager, kms })).get(service)
  }

  #judge(roleArn: string, wanted: readonly RequestedAccess[] | undefined): Reason | undefined {
    if (wanted === undefined) return unknownOperation
    const statements = this.#statements.get(roleArn) ?? []
    for (const access of wanted) {
      const verdict = judge(statements, access, { 'aws:securetransport': ['true'] })
      this.#observe({ ...access, roleArn, allowed: verdict === 'allowed' })
      if (verdict !== 'allowed') {
        return accessDenied(roleArn, access.action, access.resource, verdict === 'explicitly denied')
      }
    }
    return undefined
  }
}

/** Whether a link may be of this request: the reading of an object, or the storing of a part whose bytes are signed. */
function isLinkRequest({ method, rawPath, rawQuery }: SignedParts): boolean {
  const query = new URLSearchParams(rawQuery)
  const wanted = objectAccess(method, decodeURIComponent(rawPath), query)
  if (method === 'GET') return wanted?.every(({ action }) => action === 's3:GetObject') === true
  const signed = query.get('X-Amz-SignedHeaders')?.split(';') ?? []
  const isOfPart = query.has('uploadId') && query.has('partNumber')
  return method === 'PUT' && wanted !== undefined && isOfPart && signed.includes('x-amz-checksum-sha256')
}

function signedParts(request: IncomingMessage): SignedParts {
  const { rawPath, rawQuery } = requestTarget(request.url)
  return { method: request.method ?? 'GET', rawPath, rawQuery, headers: request.headers }
}

const unknownOperation: Reason = { code: 'UnknownOperationException', message: 'no such operation here', status: 400 }

/** A signature that was made for OpenSearch, which names no action in a header. */
const searchScope = /\/es\/aws4_request\b/

function serviceOfTarget(target: string): string {
  return target.startsWith('AmazonSQS.') ? 'sqs' : 'dynamodb'
}

function actionOf(target: string): string {
  return target.slice(target.lastIndexOf('.') + 1)
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}
