/** Holds what tests send and get against the declarations of the routes. */
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import * as z from 'zod/mini'
import { routes } from '../../../contracts/routes/index.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import { errorBody } from '../../../contracts/routes/shapes.ts'
import type { EndpointHandler } from '../../../functions/endpoint.ts'
import type { HttpResponse } from '../../../functions/endpoint/response.ts'
import { checkConforms } from '../api/conformance.ts'

/** An answer as it came. */
interface GivenAnswer {
  readonly status: number
  readonly contentType: string | undefined
  readonly text: string
  /** Absent where the answer is no redirect. */
  readonly location?: string | undefined
}

/** A request as it was sent: the parameters of its path decoded, its query and its body as their text. */
interface GivenRequest {
  readonly params?: Readonly<Record<string, string | undefined>>
  readonly query?: string
  readonly text?: string | undefined
}

/**
 * The body of an answer. Throws where it is not what the route declares: its response for a success, the one error
 * body for everything else, and in neither a member that the declaration does not know. A route may declare that
 * further statuses have its response.
 */
export function declaredBody(
  route: Pick<Route, 'response' | 'answers' | 'otherStatuses'>,
  given: GivenAnswer,
): unknown {
  const { status, contentType, text } = given
  if (isOfOtherForm(route, given)) return text
  const body: unknown = contentType?.startsWith('application/json') === true ? JSON.parse(text) : text
  const isRefusal = status >= 400 && !(route.otherStatuses?.includes(status) === true)
  const { success, error, data } = (isRefusal ? errorBody : route.response).safeParse(body)
  if (!success) throw new Error(`the answer ${status} has another form than its schema: ${error.message}`)
  if (!isDeepStrictEqual(data, body)) throw new Error(`the answer ${status} holds more than its schema: ${text}`)
  return body
}

/** Whether an answer has a form besides its body that the route declares. */
function isOfOtherForm({ answers = [] }: Pick<Route, 'answers'>, given: GivenAnswer): boolean {
  const { status, contentType = '', text, location } = given
  if (status === 304) return text === ''
  if (status === 302) return answers.includes('redirect') && text === '' && location !== undefined
  return (
    status === 200 && answers.includes('bytes') && contentType !== '' && !contentType.startsWith('application/json')
  )
}

/** Throws where a request that was served is not what the route declares. */
export function checkServed(route: Route, { params = {}, query = '', text = '' }: GivenRequest): void {
  check('path', route.params, params)
  check('query', route.query, Object.fromEntries(new URLSearchParams(query)))
  if (route.form !== undefined) check('form', route.form, Object.fromEntries(new URLSearchParams(text)))
  else if (route.rawBody !== true) check('body', route.body, text === '' ? {} : JSON.parse(text))
}

/**
 * The body of an answer that came over HTTP, held against the route that its request was for: of a path or method that
 * no route takes, a refusal or nothing at all.
 */
export function checkOverHttp(
  { method, path, text }: { readonly method: string; readonly path: string; readonly text?: string | undefined },
  answer: GivenAnswer,
): unknown {
  const [bare = '', query = ''] = path.split(/[?#]/)
  const found = routeFor(method, bare)
  if (answer.text === '' && (answer.status === 204 || answer.status === 308)) return ''
  if (answer.status < 400 && found !== undefined) checkServed(found.route, { params: found.params, query, text })
  if (found !== undefined) checkConforms(found.route, method, answer)
  return declaredBody(found?.route ?? { response: z.never() }, answer)
}

/** The route that takes a method and a percent-encoded path, with the parameters that stand there. */
export function routeFor(method: string, path: string) {
  for (const route of routes) {
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const found = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(path)
    if (found === null || ![route.method, ...(route.otherMethods ?? [])].some((each) => each === method)) continue
    return { route, params: Object.fromEntries(names.map((name, at) => [name, decoded(found[at + 1] ?? '')])) }
  }
  return undefined
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A handler of a route that throws where an answer, or a request that it served, is not as the route declares. */
export function checkedHandler(route: Route, handler: EndpointHandler): EndpointHandler {
  return async (event, context) => {
    const answer = await handler(event, context)
    const { statusCode: status, headers } = answer
    const text = readText(answer)
    const given = { status, contentType: headers['Content-Type'], text }
    declaredBody(route, { ...given, location: headers['Location'] })
    checkConforms(route, event.requestContext.http.method, given)
    if (status < 400) {
      checkServed(route, { params: event.pathParameters ?? {}, query: event.rawQueryString, text: sentText(event) })
    }
    return answer
  }
}

/** The text of an answer's body, decompressed. */
export function readText({ headers, body = '' }: HttpResponse): string {
  return headers['Content-Encoding'] === 'gzip' ? gunzipSync(Buffer.from(body, 'base64')).toString() : body
}

function sentText({ body = '', isBase64Encoded }: APIGatewayProxyEventV2): string {
  return isBase64Encoded ? Buffer.from(body, 'base64').toString() : body
}

function check(part: string, schema: z.ZodMiniType | undefined, value: unknown): void {
  const error = schema?.safeParse(value).error
  if (error !== undefined) throw new Error(`the ${part} of a served request is not as declared: ${error.message}`)
}
