/** A link that gives one object to whoever has it. */
export interface LinkRequest {
  readonly key: string
  /** The `Content-Type` that is answered, whatever the object has. */
  readonly contentType: string
  /** The `Content-Disposition` that is answered. */
  readonly disposition: string
  /** How long it is good for: 1 to 3600. */
  readonly seconds: number
}

/** A signed link. */
export interface FileLink {
  readonly url: string
  /** Epoch milliseconds. */
  readonly expires: number
}

/** What the object store tells of an object. */
export interface FileHead {
  /** Bytes. */
  readonly size: number
  readonly contentType: string
  /** `archived`: it has to be restored before it can be read. `restoring`: that is under way. */
  readonly state: 'ready' | 'archived' | 'restoring'
}

/** Bytes to be stored, which are read once, in order, and held in memory only piece by piece. */
export interface FileBody {
  readonly bytes: AsyncIterable<Uint8Array>
  /** How many they are; the store refuses another number. */
  readonly size: number
  /** Their SHA-256, 64 lower-case hexadecimal digits; the store refuses bytes that have another. */
  readonly sha256: string
}

/** An upload in parts that was begun. */
export interface Upload {
  readonly key: string
  readonly uploadId: string
}

/** A part that the object store has. */
export interface UploadedPart {
  /** 1 to 10 000. */
  readonly number: number
  readonly size: number
  readonly sha256: string
  /** What the store calls these bytes. */
  readonly etag: string
}

/** Of an upload in parts, every part but the last has at least this many bytes: 5 MiB. */
export const minPartBytes = 5 * 1024 * 1024

/**
 * The objects of one bucket. Keys are made by the service. An outage is a `DomainError` with `store_unavailable`; bytes
 * that are not those of their checksum are refused by one with `bad_request`.
 */
export interface FileStore {
  /** Signs a link, which only reads, and only this object. Whether there is one is not asked. */
  sign(link: LinkRequest): Promise<FileLink>
  /** What is told of an object; nothing where there is no whole one. */
  head(key: string): Promise<FileHead | undefined>
  /** All bytes of an object; nothing where there is none, or where it has more than `maxBytes`. */
  read(key: string, maxBytes: number): Promise<Uint8Array | undefined>
  /** Stores an object at once; it shows when it is whole. */
  put(key: string, contentType: string, body: FileBody): Promise<void>
  /** Removes an object; one that is not there is removed already. */
  remove(key: string): Promise<void>
  /** Begins an upload in parts, which shows when it is completed, and which the store drops after seven days. */
  beginUpload(key: string, contentType: string): Promise<Upload>
  /** Stores a part; one of the same number replaces it. */
  putPart(upload: Upload, number: number, body: FileBody): Promise<UploadedPart>
  /** The parts that the store has, by number; nothing when it does not know the upload (any more). */
  listParts(upload: Upload): Promise<UploadedPart[] | undefined>
  /**
   * Makes the object of these parts, in the order of their numbers; `false` when the store does not know the upload or
   * a part of it. An upload that was completed before is not known: look for its object.
   */
  completeUpload(upload: Upload, parts: readonly UploadedPart[]): Promise<boolean>
  /** Drops an upload and its parts; one that is not known is dropped already. */
  abortUpload(upload: Upload): Promise<void>
}
