import { environment } from '../../contracts/environment.ts'
import { type BucketName, buckets } from '../../contracts/resources.ts'
import { type AdapterContext, required } from '../context.ts'

/** The address of an object: the origin, and the path as written in a request. */
export interface ObjectAddress {
  readonly origin: URL
  /** Percent-encoded, from the slash on. */
  readonly path: string
}

/**
 * Returns the address of an object for clients: under the bucket's own host name in the cloud, by a path that begins
 * with the bucket's name where another address is set.
 */
export function objectAddress(context: Pick<AdapterContext, 'env'>, bucket: BucketName, key: string): ObjectAddress {
  const name = required(context, buckets[bucket].variable)
  const endpoint = context.env[environment.s3LinkOrigin] ?? context.env[environment.s3Endpoint]
  const path = `/${key.split('/').map(encodePart).join('/')}`
  if (endpoint) return { origin: new URL(endpoint), path: `/${encodePart(name)}${path}` }
  return { origin: new URL(`https://${name}.s3.${required(context, 'AWS_REGION')}.amazonaws.com`), path }
}

/** Every character but `A-Z a-z 0-9 - . _ ~` in percent form, as signatures ask. */
function encodePart(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Returns a query as written in a request, without the question mark. */
export function queryText(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`)
    .join('&')
}
