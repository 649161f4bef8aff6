import { routes } from '../../../contracts/routes/index.ts'
import type { Api } from './api.ts'
import { handlerOf } from './route-requests.ts'

/** One request as a client sent it. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** A `fetch` that reaches a platform in memory, and the requests that went through it. */
export interface MemoryFetch {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  readonly sent: SentRequest[]
}

/** Returns a `fetch` that hands each request to the endpoint of its route. */
export function memoryFetch(api: Api): MemoryFetch {
  const sent: SentRequest[] = []
  const send = async (url: string, init: RequestInit = {}) => {
    const { pathname, search } = new URL(url)
    const request = {
      method: init.method ?? 'GET',
      path: pathname,
      query: search.slice(1),
      headers: init.headers as Record<string, string>,
      body: init.body as string | undefined,
    }
    sent.push(request)
    const { route, params } = routeOf(request)
    const { headers, query, body } = request
    const answer = await api.call(await handlerOf(route), {
      params,
      query,
      headers,
      ...(body === undefined ? {} : { rawBody: body }),
    })
    return new Response(answer.text, { status: answer.status, headers: answer.headers })
  }
  return { fetch: send, sent }
}

function routeOf({ method, path }: SentRequest) {
  for (const route of routes) {
    const pattern = new RegExp(`^${route.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    const match = route.method === method ? pattern.exec(path) : null
    if (match === null) continue
    const params = Object.entries(match.groups ?? {}).map(([name, text]) => [name, decodeURIComponent(text)])
    return { route, params: Object.fromEntries(params) as Record<string, string> }
  }
  throw new Error(`no route serves ${method} ${path}`)
}
