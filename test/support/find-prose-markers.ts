import type { ProseMarker } from './prose-markers.ts'

/** A marker at a place of a file. */
export interface MarkedPlace {
  readonly file: string
  readonly line: number
  readonly marker: ProseMarker
}

/** Lists the markers in a text, except where they belong to an allowed phrase. */
export function findProseMarkers(file: string, text: string, markers: readonly ProseMarker[]): readonly MarkedPlace[] {
  return text.split('\n').flatMap((content, index) =>
    markers.flatMap((marker) => {
      const judged = (marker.allowed ?? []).reduce(withoutPhrase, content)
      return [...judged.matchAll(marker.pattern)].map(() => ({ file, line: index + 1, marker }))
    }),
  )
}

/** Replaces an allowed phrase by blanks, in whatever case it is written. */
function withoutPhrase(content: string, phrase: string): string {
  const at = content.toLowerCase().indexOf(phrase)
  if (at < 0) return content
  return withoutPhrase(content.slice(0, at) + ' '.repeat(phrase.length) + content.slice(at + phrase.length), phrase)
}

/** Returns the most specific folder of `folders` that holds a file, or the file itself where none does. */
export function folderOf(file: string, folders: readonly string[]): string {
  const holding = folders.filter((folder) => file.startsWith(`${folder}/`))
  return holding.toSorted((a, b) => b.length - a.length)[0] ?? file
}
