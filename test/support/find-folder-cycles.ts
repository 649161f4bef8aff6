import { dirname, join, normalize } from 'node:path'

/** A file of the product: its path from the root of the repository, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/**
 * Returns the groups of folders that import each other in a circle, each sorted, with one import for each step between
 * two of its folders. A folder is the files directly in it; its subfolders are folders of their own. Type imports
 * count.
 */
export function findFolderCycles(files: readonly SourceFile[]): { folders: string[]; imports: string[] }[] {
  const imports = new Map<string, Map<string, string>>()
  for (const { path, text } of files) {
    const folder = dirname(path)
    const targets = imports.get(folder) ?? new Map<string, string>()
    imports.set(folder, targets)
    for (const [, specifier = ''] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)) {
      const target = normalize(join(folder, specifier))
      const other = dirname(target)
      if (other !== folder && !targets.has(other)) targets.set(other, `${path} imports ${target}`)
    }
  }
  const reached = new Map([...imports.keys()].map((folder) => [folder, reachableFrom(folder, imports)]))
  const left = new Set([...imports.keys()].filter((folder) => reached.get(folder)?.has(folder)).toSorted())
  const cycles: { folders: string[]; imports: string[] }[] = []
  for (const folder of left) {
    const folders = [...left].filter((other) => reached.get(folder)?.has(other) && reached.get(other)?.has(folder))
    for (const other of folders) left.delete(other)
    const steps = folders.flatMap((from) => [...(imports.get(from) ?? [])].filter(([to]) => folders.includes(to)))
    cycles.push({ folders, imports: steps.map(([, text]) => text) })
  }
  return cycles
}

function reachableFrom(start: string, imports: ReadonlyMap<string, ReadonlyMap<string, string>>): Set<string> {
  const reached = new Set<string>()
  const open = [start]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const other of imports.get(folder)?.keys() ?? []) {
      if (!reached.has(other)) open.push(other)
      reached.add(other)
    }
  }
  return reached
}
