import { permissionDenied } from '../../access/permission.ts'
import { invalidField } from '../../errors.ts'
import type { SearchPlan } from '../search-plan.ts'
import type { SearchRequest } from './search-request.ts'

/** The position and the owner of a scrolled search. */
export interface ScrollPosition {
  readonly caller: string
  readonly domain: string | null
  readonly since?: number | undefined
  readonly request: SearchRequest
  /** The time of the first page, from which relative dates count. Epoch milliseconds, like `expiresAt`. */
  readonly startedAt: number
  readonly expiresAt: number
  readonly after: NonNullable<SearchPlan['after']>
}

/** Makes text unforgeable. */
export interface ScrollSigner {
  /** A signature that is safe in JSON and has no dot. */
  sign(text: string): Promise<string>
  isSigned(text: string, signature: string): Promise<boolean>
}

/** The lifetime of a scroll id, milliseconds. */
export const scrollLifeMs = 10 * 60_000

/** Characters of the request that a scroll id carries with it. */
const maxRequest = 64 * 1024

/** Characters of a scroll id, as the route takes it: letters beyond ASCII make a request longer. */
const maxId = 131_072

/** Members of a body that decide which CDRs are found and shown; counts are made only with the first page. */
const carried = ['index', 'columns', 'filter', 'query', 'sort', 'limit'] as const

/** Writes a scroll id. Throws `invalid_field` for a request that is too long for one. */
export async function writeScroll(position: ScrollPosition, signer: ScrollSigner): Promise<string> {
  const body = Object.fromEntries(
    carried
      .filter((name) => Object.hasOwn(position.request.body, name))
      .map((name) => [name, position.request.body[name]]),
  )
  const request = { body, leg: position.request.leg }
  const tooLong = invalidField('scroll', `the search must have at most ${maxRequest} characters to be scrolled`)
  if (JSON.stringify(request).length > maxRequest) throw tooLong
  const text = encoded(JSON.stringify({ ...position, request }))
  const id = `${text}.${await signer.sign(text)}`
  if (id.length > maxId) throw tooLong
  return id
}

/**
 * Reads a scroll id for a caller. Throws `invalid_field` for a malformed or expired one, and `permission_denied` for
 * one of another caller or domain. Root without a domain continues in the domain of the search.
 */
export async function readScroll(
  scrollId: string,
  by: { readonly caller: string; readonly domain: string | null; readonly now: number },
  signer: ScrollSigner,
): Promise<ScrollPosition> {
  const [text = '', signature = '', ...rest] = scrollId.split('.')
  if (rest.length > 0 || !(await signer.isSigned(text, signature))) throw malformed()
  const position: unknown = JSON.parse(decoded(text))
  if (!isPosition(position)) throw malformed()
  if (position.caller !== by.caller || (by.domain !== null && by.domain !== position.domain)) {
    throw permissionDenied('only the caller who began a search may go on with it')
  }
  if (by.now >= position.expiresAt) throw invalidField('scrollId', 'has ended: begin the search again')
  return position
}

const malformed = () => invalidField('scrollId', 'must be the scrollId of a search')

/** Signed text was written here, in this or an earlier form. */
function isPosition(value: unknown): value is ScrollPosition {
  if (typeof value !== 'object' || value === null) return false
  const members = new Map<string, unknown>(Object.entries(value))
  return (
    typeof members.get('caller') === 'string' &&
    typeof members.get('startedAt') === 'number' &&
    typeof members.get('expiresAt') === 'number' &&
    typeof members.get('request') === 'object' &&
    Array.isArray(members.get('after'))
  )
}

function encoded(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const binary = Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function decoded(text: string): string {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return new TextDecoder().decode(Uint8Array.from(binary, (char) => char.codePointAt(0) ?? 0))
}
