import { cors, linkCors } from '../../contracts/routes/cors.ts'
import type { CrossOrigin } from '@callplane/laptop'

/** Returns the configuration that a deployment has for these origins; `undefined` if there are none. */
export function crossOriginFor(origins: readonly string[]): CrossOrigin | undefined {
  if (origins.length === 0) return undefined
  const { methods, requestHeaders: headers, exposedHeaders, maxAgeSeconds } = cors
  return { origins, methods: [...methods, 'OPTIONS'], headers, exposedHeaders, maxAgeSeconds }
}

/** Returns what the object store of such a deployment lets pages read of an object by its link. */
export function linkCrossOriginOf(config: CrossOrigin | undefined): CrossOrigin | undefined {
  return config && { ...config, headers: linkCors.requestHeaders, exposedHeaders: linkCors.exposedHeaders }
}
