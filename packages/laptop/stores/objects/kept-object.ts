import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import type { ObjectPaths } from './object-paths.ts'

const description = z.object({
  size: z.number(),
  etag: z.string(),
  contentType: z.string(),
  modifiedAt: z.number(),
  metadata: z.record(z.string(), z.string()),
  file: z.string(),
  /** `STANDARD` where absent. */
  storageClass: z.optional(z.string()),
  isRestoring: z.optional(z.boolean()),
  isHeld: z.optional(z.boolean()),
  /** Whether it was removed while it was held: its bytes stay, unseen. */
  isHidden: z.optional(z.boolean()),
})

/** The stored facts about an object in addition to its bytes. */
export type Description = z.infer<typeof description>

/** Returns the facts about an object; nothing if it does not exist. */
export async function describe(paths: ObjectPaths): Promise<Description | undefined> {
  const found = await describeVersion(paths)
  return found?.isHidden === true ? undefined : found
}

/** Describes the only version of an object, which exists even while the object is hidden. */
export async function describeVersion(paths: ObjectPaths): Promise<Description | undefined> {
  try {
    return z.parse(description, JSON.parse(await readFile(paths.description, 'utf8')))
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Opens the object with its bytes, both of one version; the caller closes the file. */
export async function openObject(paths: ObjectPaths): Promise<{ found: Description; file: FileHandle } | undefined> {
  for (;;) {
    const found = await describe(paths)
    if (found === undefined) return undefined
    try {
      return { found, file: await open(join(paths.folder, found.file)) }
    } catch (error) {
      // It was replaced or removed in between.
      if (!isAbsent(error)) throw error
      if ((await describe(paths))?.file === found.file) throw error
    }
  }
}

/** Creates a file for bytes, which belongs to no object until {@link keepObject}. */
export async function draftOf(paths: ObjectPaths): Promise<string> {
  await mkdir(paths.folder, { recursive: true, mode: 0o700 })
  return join(paths.folder, `.bytes-${randomUUID()}`)
}

/** Turns a draft into the object atomically, replacing an earlier one. */
export async function keepObject(paths: ObjectPaths, draft: string, made: Omit<Description, 'file'>): Promise<void> {
  const previous = await describe(paths)
  const file = draft.slice(dirname(draft).length + 1)
  await writeWhole(paths.description, { ...made, file })
  if (previous !== undefined) await rm(join(paths.folder, previous.file), { force: true })
}

/** Changes the facts about an object. */
export async function changeObject(paths: ObjectPaths, found: Description): Promise<void> {
  await writeWhole(paths.description, found)
}

/**
 * Sets or ends the hold of an object's version. The bytes of one that is hidden go with its hold, as S3's life cycle
 * removes them.
 */
export async function holdVersion(paths: ObjectPaths, found: Description, isHeld: boolean): Promise<void> {
  if (found.isHidden === true && !isHeld) return dropVersion(paths, found)
  await changeObject(paths, { ...found, isHeld })
}

/** Removes an object. The bytes of one that is held stay, as a version under a delete marker does in S3. */
export async function removeObject(paths: ObjectPaths): Promise<void> {
  const previous = await describe(paths)
  if (previous?.isHeld === true) return changeObject(paths, { ...previous, isHidden: true })
  if (previous !== undefined) await dropVersion(paths, previous)
}

async function dropVersion(paths: ObjectPaths, { file }: Description): Promise<void> {
  await rm(paths.description, { force: true })
  await rm(join(paths.folder, file), { force: true })
}

/** Writes JSON atomically: a reader finds the new or the previous content. */
export async function writeWhole(path: string, content: unknown): Promise<void> {
  const draft = `${path}-${randomUUID()}`
  await writeFile(draft, JSON.stringify(content), { mode: 0o600 })
  await rename(draft, path)
}

/** Returns whether an error says that a file does not exist. */
export function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
