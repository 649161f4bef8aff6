/** A directory answer to the engine, free of any notation. */
export type DirectoryDocument = { readonly found: false } | ({ readonly found: true } & DirectoryDomain)

interface DirectoryDomain {
  readonly name: string
  readonly parameters: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  readonly user?: DirectoryUser | undefined
}

/** A user of the directory. */
export interface DirectoryUser {
  readonly id: string
  /** The number by which the user was found, if that is not the user's id. */
  readonly numberAlias?: string | undefined
  /** How long the engine may keep the answer: milliseconds, or a word for "until flushed"; absent: not at all. */
  readonly cacheable?: string | undefined
  readonly parameters: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
}
