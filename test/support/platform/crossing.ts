/** Makes calls by which one tenant reaches for the things of another, under every name that they could be taken by. */
import * as fc from 'fast-check'
import { routes } from '../../../contracts/routes/index.ts'
import { mutated } from '../records/hostile-text.ts'
import type { Things } from './route-requests.ts'

/** The tenant that calls. */
export const own = 'a.example.com'

/** Names of the other tenant: prefixes, suffixes and parts of the own one, and neighbouring names. */
export const otherNames = [
  'b.example.com',
  'x.a.example.com',
  'a.example.com.au',
  'example.com',
  'a.example.co',
  'aa.example.com',
]
/** The things that only the other tenant has. */
export const foreign: Omit<Things, 'domain'> = {
  account: '2003',
  channel: '7a2c7a1e-6a1e-4b1d-9f0e-2d0a4c5b6e7f',
  role: 'chief',
  token: '1e4e4e1f-8c1f-4f6c-9a43-0c7e1f2b3a4d',
  list: 'fraud',
  number: '900',
  routes: ['d'.repeat(24), 'e'.repeat(24)],
  gateway: 'uplink',
  hook: '7'.repeat(24),
  delivery: `msg_${'7'.repeat(32)}`,
  job: '3c9f2d8f-6a1e-4b1d-9f0e-2d0a4c5b6e7f',
}

const withToken = routes.filter(({ authentication }) => authentication === 'token')

const callers = ['user', 'admin', 'operator', 'program'] as const

/** A call by somebody of the own tenant, about things of the other. */
export interface Crossing {
  readonly operationId: string
  readonly caller: (typeof callers)[number]
  readonly other: string
  readonly things: Things
  /** Raw pairs of the query. */
  readonly query: readonly string[]
  /** The domain that the body names. */
  readonly bodyDomain: string | undefined
  /** Whether the other tenant has made the same request under the same key before. */
  readonly repeats: boolean
  /** Made from a cursor of the other tenant. */
  readonly cursor: ((genuine: string) => string) | undefined
}

/** The forms in which a name or id of the other tenant may be written. */
const disguised = (id: string, other: string) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(id) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        `${id}@${other}`,
        `${other}/${id}`,
        `../${other}/${id}`,
        `${other}%2F${id}`,
        `${id}#${other}`,
        `${other}#${id}`,
        `${other}:${id}`,
        JSON.stringify([other, id]),
        id.slice(0, -1),
        `${id}0`,
        id.toUpperCase(),
      ),
    },
    { weight: 2, arbitrary: mutated(id) },
  )

const domainNames = (other: string) =>
  fc.oneof(
    fc.constantFrom(
      other,
      other.toUpperCase(),
      `${own},${other}`,
      `${other}#`,
      `${own}#${other}`,
      `${other}.`,
      '*',
      '',
    ),
    mutated(other),
  )

const queryPairs = (other: string) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: domainNames(other).map((name) => [`domain=${encode(name)}`]) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        [`domain=${own}`, `domain=${other}`],
        [`domain=${other}`, `domain=${own}`],
        [`domain%00=${other}`],
        [`domain[]=${other}`],
        [`Domain=${other}`],
        [`domain=${own}%00${other}`],
        [`domain=${own}&filter=${encode(JSON.stringify({ domain: other }))}`],
      ),
    },
  )

/** Percent-encodes any text. */
export const encode = (text: string) => encodeURIComponent(text.toWellFormed())

/** All such calls. */
export const crossing: fc.Arbitrary<Crossing> = fc.constantFrom(...otherNames).chain((other) => {
  const pathDomain = fc.oneof(
    fc.constant(own),
    domainNames(other).filter((name) => name !== ''),
  )
  const [first, second] = foreign.routes
  const things = fc.record({
    domain: pathDomain,
    account: disguised(foreign.account, other),
    channel: disguised(foreign.channel, other),
    role: disguised(foreign.role, other),
    token: disguised(foreign.token, other),
    list: disguised(foreign.list, other),
    number: disguised(foreign.number, other),
    routes: fc.tuple(disguised(first, other), disguised(second, other)),
    gateway: disguised(foreign.gateway, other),
    hook: disguised(foreign.hook, other),
    delivery: disguised(foreign.delivery, other),
    job: disguised(foreign.job, other),
  })
  return fc.record({
    operationId: fc.constantFrom(...withToken.map((route) => route.operationId)),
    caller: fc.constantFrom(...callers),
    other: fc.constant(other),
    things,
    query: queryPairs(other),
    bodyDomain: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, domainNames(other)),
    repeats: fc.boolean(),
    cursor: fc.option(
      fc.constantFrom<(genuine: string) => string>(
        (genuine) => genuine,
        (genuine) => genuine.slice(0, -1),
        (genuine) => genuine.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A')),
        (genuine) => genuine.slice(0, genuine.lastIndexOf('.')),
      ),
      { nil: undefined },
    ),
  })
})
