import { join } from 'node:path'

/** The name of an object. */
export interface ObjectName {
  readonly bucket: string
  readonly key: string
}

/** The paths of an object's bytes and its description. */
export interface ObjectPaths {
  readonly folder: string
  readonly description: string
}

/** Returns the name of an object: `/bucket/key`, percent-decoded once. `undefined` when either part is missing. */
export function objectName(rawPath: string): ObjectName | undefined {
  const match = /^\/([^/]+)\/(.+)$/s.exec(decodeURIComponent(rawPath))
  return match?.[1] === undefined || match[2] === undefined ? undefined : { bucket: match[1], key: match[2] }
}

/**
 * Returns the files of an object. The key is spelled in base64url, which holds no slash and no dot, cut into pieces of
 * 128 characters, so that no key leads out of its bucket's folder or is longer than a file name may be.
 */
export function objectPaths(root: string, bucket: string, key: string): ObjectPaths {
  const pieces =
    Buffer.from(key)
      .toString('base64url')
      .match(/.{1,128}/g) ?? []
  const folder = join(root, Buffer.from(bucket).toString('base64url'), ...pieces)
  return { folder, description: join(folder, '.object.json') }
}
