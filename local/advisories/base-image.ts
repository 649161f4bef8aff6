import * as z from 'zod/mini'

const kinds = 'application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json'

/**
 * Returns the digest that the tag of a public image, such as `public.ecr.aws/docker/library/node:24-bookworm-slim`, has
 * in its registry now. Throws a sentence when the registry does not tell it.
 */
export async function digestOf(image: string, ask: typeof fetch = fetch): Promise<string> {
  const [, host = '', name = '', tag = ''] = /^([^/]+)\/(.+):([^:/]+)$/.exec(image) ?? []
  try {
    const granted = await ask(`https://${host}/token/?service=${host}&scope=repository:${name}:pull`)
    const { token } = z.parse(z.object({ token: z.string() }), await granted.json())
    const headers = { authorization: `Bearer ${token}`, accept: kinds }
    const { headers: told } = await ask(`https://${host}/v2/${name}/manifests/${tag}`, { method: 'HEAD', headers })
    return z.parse(z.string().check(z.regex(/^sha256:[0-9a-f]{64}$/)), told.get('docker-content-digest'))
  } catch {
    throw new Error(`${host} does not tell the digest of ${name}:${tag}; try again later`)
  }
}
