import { expect, it } from 'vitest'
import { digestOf } from '../../../local/advisories/base-image.ts'

const digest = `sha256:${'0a'.repeat(32)}`

/** A registry that gives a token for one repository, and the digest of one tag to who presents it. */
function aRegistry(told: string | undefined): typeof fetch {
  return async (input, init) => {
    const { hostname, pathname, searchParams } = new URL(input instanceof Request ? input.url : input)
    expect(hostname).toBe('public.ecr.aws')
    if (pathname === '/token/' && searchParams.get('scope') === 'repository:docker/library/node:pull') {
      return Response.json({ token: 'one' })
    }
    const isAsked = pathname === '/v2/docker/library/node/manifests/24-bookworm-slim' && init?.method === 'HEAD'
    const isAdmitted = new Headers(init?.headers).get('authorization') === 'Bearer one'
    if (!isAsked || !isAdmitted || told === undefined) return new Response(null, { status: 404 })
    return new Response(null, { headers: { 'docker-content-digest': told } })
  }
}

it('the digest of a public image is the one that its registry has for the tag now', async () => {
  expect(await digestOf('public.ecr.aws/docker/library/node:24-bookworm-slim', aRegistry(digest))).toBe(digest)
})

it.each([undefined, 'latest'])('a registry that tells "%s" is named in a sentence', async (told) => {
  await expect(digestOf('public.ecr.aws/docker/library/node:24-bookworm-slim', aRegistry(told))).rejects.toThrow(
    'public.ecr.aws does not tell the digest of docker/library/node:24-bookworm-slim; try again later',
  )
})
