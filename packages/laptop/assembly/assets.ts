import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as z from 'zod/mini'

const destinations = z.record(
  z.string(),
  z.object({ objectKey: z.optional(z.string()), imageTag: z.optional(z.string()) }),
)

const assetManifest = z.object({
  files: z.optional(
    z.record(z.string(), z.object({ source: z.object({ path: z.optional(z.string()) }), destinations })),
  ),
  dockerImages: z.optional(
    z.record(z.string(), z.object({ source: z.object({ directory: z.optional(z.string()) }), destinations })),
  ),
})

/** Finds what an assembly would publish, by the name under which it would be published. */
export interface Assets {
  /** Path of a file or folder by its object key in the bucket of assets. Throws when there is none. */
  file(objectKey: string): string
  /** Path of a container image's build folder by its tag. Throws when there is none. */
  image(tag: string): string
}

/** Reads asset manifests, the files that tell `cdk deploy` what to publish where. */
export function readAssets(directory: string, manifestFiles: readonly string[]): Assets {
  const byName = new Map<string, string>()
  for (const manifestFile of manifestFiles) {
    const { files, dockerImages } = z.parse(
      assetManifest,
      JSON.parse(readFileSync(join(directory, manifestFile), 'utf8')),
    )
    for (const { source, destinations } of Object.values(files ?? {})) {
      for (const { objectKey } of Object.values(destinations)) {
        if (objectKey !== undefined && source.path !== undefined) byName.set(objectKey, join(directory, source.path))
      }
    }
    for (const { source, destinations } of Object.values(dockerImages ?? {})) {
      for (const { imageTag } of Object.values(destinations)) {
        if (imageTag !== undefined && source.directory !== undefined) {
          byName.set(imageTag, join(directory, source.directory))
        }
      }
    }
  }
  const find = (name: string): string => {
    const path = byName.get(name)
    if (path === undefined) throw new Error(`the assembly has no asset ${basename(name)}`)
    return path
  }
  return { file: find, image: find }
}
