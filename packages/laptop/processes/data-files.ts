/** The folder of a run's data, as stores use it. */
export interface DataFiles {
  /** Returns the path of a file. */
  file(name: string): string
  read(name: string): string | undefined
  /** Writes a file, all of it or nothing. */
  write(name: string, contents: string): void
  /** Throws a sentence for people when a file is missing that is there whenever the folder has data. */
  requireWithData(name: string): void
}
