/** The endpoints over memory: requests go in as the gateway hands them over, answers come out as it is given them. */
import { createHash } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { type MemoryPorts, memoryPorts } from '../memory/memory-ports.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import type { Account } from '../../../core/accounts/account.ts'
import type { EndpointHandler } from '../../../functions/endpoint.ts'
import type { HttpResponse } from '../../../functions/endpoint/response.ts'
import { readSettings } from '../../../functions/endpoint/cloud.ts'
import type { EndpointDeps } from '../../../functions/endpoint/endpoint-parts.ts'
import { tokenDigest, writeToken } from '../../../functions/endpoint/token-text.ts'
import { type CapturedLog, capturedLog } from '../processes/captured-log.ts'
import { checkedHandler, readText } from './declared.ts'
import { markedRandomness } from '../records/marked-randomness.ts'
import { asText } from '../stores/memory-dump.ts'
import { type MovableClock, movableClock } from '../processes/movable-clock.ts'
import { aDomain, anAccount } from '../records/records.ts'
import { planted } from '../invariants/secret-forms.ts'
import { watchSecretsIn, watchWritten } from '../invariants/watched-secrets.ts'

/** A request, of which a test names only what it is about. */
export interface ApiRequest {
  readonly params?: Readonly<Record<string, string>>
  /** Without the question mark. */
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly rawBody?: string
  readonly base64?: boolean
  readonly sourceAddress?: string
}

/** An answer, with its body read. */
export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body as it leaves the gateway. */
  readonly bytes: Buffer
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer's body is judged by matchers
  readonly body: any
}

/** A handler file's export. */
interface Served<R extends Route> {
  readonly route: R
  readonly over: (ports: MemoryPorts, tools: EndpointDeps) => EndpointHandler
}

/** The headers of a logged-in user. */
export interface Credential {
  readonly 'x-access-token': string
  readonly 'x-key': string
}

/** Everything around one platform that lives in memory. */
export interface Api {
  readonly ports: MemoryPorts
  readonly clock: MovableClock
  readonly log: CapturedLog
  readonly tools: EndpointDeps
  /**
   * Calls an endpoint. A success is checked against the route's response, and its request against what the route takes;
   * a refusal is checked against the error body.
   */
  call<R extends Route>(handler: Served<R>, request?: ApiRequest): Promise<ApiAnswer>
  /**
   * Makes an account, and its domain, as one made long ago, where that is missing. The password is {@link passwordOf}
   * its login.
   */
  account(given?: Partial<Account>): Promise<Account>
  /** The same platform, some of its ports replaced. */
  with(ports: Partial<MemoryPorts>): Api
  /** The headers of a token of an account, or of root. */
  as(account: Account | 'root'): Promise<Credential>
}

/** The password that {@link Api.account} gives. */
export const passwordOf = (login: string) => planted(`password of ${login}`)

/** A platform without domains. */
export function anApi(env: Readonly<Record<string, string>> = {}): Api {
  const clock = movableClock()
  const log = capturedLog()
  const settings = readSettings({ PUBLIC_URL: 'https://api.test', ...env })
  const tools = { clock, random: markedRandomness, log, settings }
  const ports = memoryPorts(tools)
  // A seed of ids alone may be there; a test sees that a seed of secrets is sealed.
  watchWritten('store', () => asText(ports.state).replaceAll(/"seed":"[^"]*"/g, ''))
  return apiOver(ports, { clock, log, tools })
}

function apiOver(ports: MemoryPorts, around: Pick<Api, 'clock' | 'log' | 'tools'>): Api {
  const { clock, tools } = around
  return {
    ...around,
    ports,
    with: (replaced) => apiOver({ ...ports, ...replaced }, around),
    call: async (handler, request = {}) => {
      const served = checkedHandler(handler.route, handler.over(ports, tools))
      const answer = readAnswer(await served(gatewayEvent(handler.route, request), aContext))
      watchSecretsIn(answer.body)
      return answer
    },
    account: async (given = {}) => {
      const { login = '1000', domain = 'a.example.com' } = given
      await ports.domains.create(aDomain({ name: domain, createdAt: 0 }))
      const passwordHash = await ports.passwords.hash(passwordOf(login))
      const a1Hash = createHash('md5')
        .update(`${login}:${domain}:${passwordOf(login)}`)
        .digest('hex')
      const account = anAccount({ passwordHash, a1Hash, ...given })
      const created = await ports.accounts.create(account, 10_000)
      if (created !== 'created') throw new Error(`the account of the test is not made: ${created}`)
      return account
    },
    as: async (account) => aCredential(ports, clock, account),
  }
}

/** A function's context with all of its time left. */
export const aContext = { getRemainingTimeInMillis: () => 28_500 }

/** A request as API Gateway hands it over (payload format 2.0). */
export function gatewayEvent(
  { method, path }: Pick<Route, 'method' | 'path'>,
  request: ApiRequest = {},
): APIGatewayProxyEventV2 {
  const { params = {}, query = '', headers = {}, sourceAddress = '198.51.100.7' } = request
  const rawPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const body = request.rawBody ?? (request.body === undefined ? undefined : JSON.stringify(request.body))
  return {
    version: '2.0',
    routeKey: `${method} ${path}`,
    rawPath,
    rawQueryString: query,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(Object.keys(params).length === 0 ? {} : { pathParameters: params }),
    requestContext: {
      accountId: 'test',
      apiId: 'test',
      domainName: 'api.test',
      domainPrefix: 'api',
      http: { method, path: rawPath, protocol: 'HTTP/1.1', sourceIp: sourceAddress, userAgent: '' },
      requestId: 'gateway-request',
      routeKey: `${method} ${path}`,
      stage: '$default',
      time: '',
      timeEpoch: 0,
    },
    ...(body === undefined ? {} : { body }),
    isBase64Encoded: request.base64 ?? false,
  }
}

async function aCredential(ports: MemoryPorts, clock: MovableClock, account: Account | 'root'): Promise<Credential> {
  const isRoot = account === 'root'
  const [login, domain] = isRoot ? ['root', ''] : [account.login, account.domain]
  const username = isRoot ? login : `${login}@${domain}`
  const key = systemRandomness.uuid()
  const text = writeToken({ username, domain, key }, markedRandomness.bytes(32))
  const token = {
    key,
    username,
    domain,
    login,
    digest: tokenDigest(text),
    credentialsId: isRoot ? await ports.secrets.rootVersion() : account.credentialsId,
    createdAt: clock.now(),
    expiresAt: clock.now() + 3_600_000,
    enabled: true,
  }
  await ports.tokens.create(token, 50)
  const credential = { 'x-access-token': text, 'x-key': key }
  watchSecretsIn(credential)
  return credential
}

function readAnswer(answer: HttpResponse): ApiAnswer {
  const { statusCode, headers, isBase64Encoded } = answer
  const isJson = headers['Content-Type']?.startsWith('application/json') === true
  const bytes = Buffer.from(answer.body ?? '', isBase64Encoded === true ? 'base64' : 'utf8')
  const text = readText(answer)
  return { status: statusCode, headers, text, bytes, body: isJson ? JSON.parse(text) : text }
}
