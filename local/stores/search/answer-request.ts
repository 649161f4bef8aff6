import type { SearchReply, SearchRequest } from '@callplane/laptop'
import type { Database } from './database.ts'
import { deleteByQuery } from './delete-by-query.ts'
import { bulk, multiGet } from './documents.ts'
import { chooseIndices } from './index-names.ts'
import { type JsonObject, objectOf, parseJson } from './json.ts'
import { Refusal, badRequest, refusalBody } from './refusal.ts'
import { search } from './search.ts'

/** Answers a request as OpenSearch would; refuses requests that this server does not support. */
export function answerRequest(database: Database, request: SearchRequest): SearchReply {
  try {
    return { status: 200, body: bodyOf(database, request) }
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal !== undefined) return { status: refusal.status, body: JSON.stringify(refusalBody(refusal)) }
    throw error
  }
}

/** A refusal, also SQLite's own: of more values or levels than a statement can have. */
function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  const isTooMuch = error instanceof Error && /too many SQL variables|Expression tree is too large/.test(error.message)
  return isTooMuch ? badRequest('Query contains too many nested clauses', 'too_many_nested_clauses') : undefined
}

interface Context {
  readonly database: Database
  readonly request: SearchRequest
  readonly parameters: URLSearchParams
  readonly name: string
}

type Route = readonly [method: string, path: RegExp, answer: (context: Context) => string]

/** OpenSearch takes two methods for some paths; its client uses the second. */
const routes: readonly Route[] = [
  ['POST', /^\/_bulk$/, ({ database, request }) => JSON.stringify(bulk(database, request.body))],
  ['POST', /^\/_mget$/, answerMultiGet],
  ['POST', /^\/([^_/][^/]*)\/_search$/, answerSearch],
  ['POST', /^\/([^_/][^/]*)\/_delete_by_query$/, answerDelete],
  ['POST', /^\/([^_/][^/]*)\/_refresh$/, refresh],
  ['GET', /^\/([^_/][^/]*)\/_refresh$/, refresh],
  ['PUT', /^\/_index_template\/([^/]+)$/, putTemplate],
  ['POST', /^\/_index_template\/([^/]+)$/, putTemplate],
  ['PUT', /^\/([^_/][^/]*)\/_mapping$/, acknowledge],
  ['POST', /^\/([^_/][^/]*)\/_mapping$/, acknowledge],
  ['GET', /^\/_cluster\/health$/, () => '{"cluster_name":"embedded","status":"green","timed_out":false}'],
]

function bodyOf(database: Database, request: SearchRequest): string {
  for (const [method, pattern, answer] of routes) {
    const match = method === request.method ? pattern.exec(request.path) : null
    if (match !== null) {
      const name = decodeURIComponent(match[1] ?? '')
      return answer({ database, request, parameters: new URLSearchParams(request.query), name })
    }
  }
  throw badRequest(
    `no handler found for uri [${request.path}] and method [${request.method}]`,
    'illegal_argument_exception',
  )
}

function bodyObject({ request }: Context): JsonObject {
  return objectOf(parseJson(request.body === '' ? '{}' : request.body), 'body')
}

function answerMultiGet(context: Context): string {
  const excluded = context.parameters.get('_source_excludes') ?? undefined
  return JSON.stringify(multiGet(context.database, bodyObject(context), excluded))
}

function answerSearch(context: Context): string {
  return search(context.database, indicesIn(context), bodyObject(context))
}

function answerDelete(context: Context): string {
  const most = Number(context.parameters.get('max_docs') ?? undefined)
  const answer = deleteByQuery(context.database, indicesIn(context), bodyObject(context), most || undefined)
  return JSON.stringify(answer)
}

function indicesIn({ database, name, parameters }: Context) {
  return chooseIndices(database, name, parameters.get('ignore_unavailable') === 'true')
}

/** Everything written is found at once. */
function refresh(): string {
  return '{"_shards":{"total":1,"successful":1,"failed":0}}'
}

/** Every mapping fits, since this server knows the fields itself. */
function acknowledge(): string {
  return '{"acknowledged":true}'
}

/** The template is kept: what it says of fields is what this server does anyway. */
function putTemplate(context: Context): string {
  const body = JSON.stringify(bodyObject(context))
  const { database, request } = context
  database.prepare('INSERT OR REPLACE INTO settings VALUES (?, ?, 0)').run(request.path, body)
  return '{"acknowledged":true}'
}
