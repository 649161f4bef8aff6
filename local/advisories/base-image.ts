import * as z from 'zod/mini'
import type { Finding } from './finding.ts'

/** How long a registry or a list of releases may take to answer. */
const answerMs = 20_000

/** A manifest of several platforms, as both kinds of registries call it. */
const manifests = 'application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json'

/** The base of the connector's image. */
export interface BaseImage {
  /** With its host and its tag, such as `public.ecr.aws/docker/library/node:24.9.0-bookworm-slim`. */
  readonly name: string
  /** The digest that `connectorBaseDigest` fixes; empty: none. */
  readonly digest: string
}

/**
 * Compares the digest of a base with the one that its tag has now: images are rebuilt under the same tag when a package in them
 * is mended. Rejects when the registry does not tell. `origin` is that of the registry; by default, https and the host of the name.
 */
export async function baseFindings(
  { name, digest }: BaseImage,
  origin = `https://${hostOf(name)}`,
): Promise<Finding[]> {
  const current = await digestOfTag(origin, name)
  if (digest === current) return []
  const action = `set "connectorBaseDigest": "${current}" and deploy CallplaneConnector`
  if (digest !== '') return [{ subject: name, problem: `was built anew since ${digest}`, action }]
  return [{ subject: name, problem: 'has no digest in the settings, so that what is deployed is not known', action }]
}

const releases = z.array(z.object({ version: z.string(), security: z.boolean() }))

/** Finds a release of Node of the same line as the base that is newer and mends something. Rejects when the list cannot be read. */
export async function nodeFindings(
  { name }: BaseImage,
  list = 'https://nodejs.org/dist/index.json',
): Promise<Finding[]> {
  const version = /:(\d+\.\d+\.\d+)/.exec(name)?.[1] ?? ''
  const response = await fetch(list, { signal: AbortSignal.timeout(answerMs) })
  if (!response.ok) throw new Error(`${list} answers ${response.status}`)
  const newer = releases
    .parse(await response.json())
    .filter((release) => release.security && isLater(release.version.slice(1), version))
    .toSorted((a, b) => (isLater(a.version.slice(1), b.version.slice(1)) ? -1 : 1))
  const [latest] = newer
  if (latest === undefined) return []
  const to = latest.version.slice(1)
  return [
    {
      subject: `Node ${version}`,
      problem: `${to} mends something that has an advisory`,
      action: `set the version in connector/Dockerfile and of "node" in package.json to ${to}, npm install, npm test, and deploy CallplaneConnector; Lambda updates its own Node`,
    },
  ]
}

/** Whether a version is of the same major version and later. */
function isLater(version: string, than: string): boolean {
  const [a = [], b = []] = [version, than].map((text) => text.split('.').map(Number))
  if (a[0] !== b[0]) return false
  return a[1] === b[1] ? (a[2] ?? 0) > (b[2] ?? 0) : (a[1] ?? 0) > (b[1] ?? 0)
}

function hostOf(name: string): string {
  return name.split('/', 1)[0] ?? ''
}

/** Asks as anybody may: a registry refuses the first request and says where a token can be had. */
async function digestOfTag(origin: string, name: string): Promise<string> {
  const [path = '', tag = ''] = name.slice(hostOf(name).length + 1).split(':')
  const ask = (authorization: Record<string, string>) =>
    fetch(`${origin}/v2/${path}/manifests/${tag}`, {
      method: 'HEAD',
      headers: { accept: manifests, ...authorization },
      signal: AbortSignal.timeout(answerMs),
    })
  const first = await ask({})
  const answer = first.status === 401 ? await ask({ authorization: `Bearer ${await tokenFor(first, origin)}` }) : first
  const digest = answer.headers.get('docker-content-digest') ?? ''
  if (!answer.ok || !/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new Error(`${origin} answers ${answer.status} for ${name}`)
  return digest
}

const token = z.object({ token: z.string() })

async function tokenFor(refusal: Response, origin: string): Promise<string> {
  const words = refusal.headers.get('www-authenticate') ?? ''
  const of = (word: string) => new RegExp(`${word}="([^"]*)"`).exec(words)?.[1] ?? ''
  const realm = URL.parse(of('realm'), origin)
  if (realm === null || realm.protocol !== new URL(origin).protocol)
    throw new Error(`${origin} names no place for tokens`)
  for (const word of ['service', 'scope']) realm.searchParams.set(word, of(word))
  const answer = await fetch(realm, { signal: AbortSignal.timeout(answerMs) })
  return token.parse(await answer.json()).token
}
