/** A link through which one object can be read without credentials. */
export interface LinkRequest {
  readonly key: string
  /** The `Content-Type` that is answered, whatever the object has. */
  readonly contentType: string
  readonly disposition: string
  /** Its lifetime: 1 to 3600. */
  readonly seconds: number
}

/** A signed link. */
export interface FileLink {
  readonly url: string
  /** Epoch milliseconds. */
  readonly expires: number
}

/** The object store's facts about an object. */
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
  /** The number of the bytes; the store refuses another number. */
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
  readonly etag: string
}

/** A link through which one part of an upload can be stored without credentials. */
export interface PartLink {
  readonly url: string
  /** The value of the header `x-amz-checksum-sha256`, without which the link is refused. */
  readonly checksum: string
}

/** The part that a {@link PartLink} takes; the store refuses other bytes. */
export interface LinkedPart {
  /** 1 to 10 000. */
  readonly number: number
  readonly size: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

/** The least size of every part of an upload except the last: 5 MiB. */
export const minPartBytes = 5 * 1024 * 1024

/**
 * The objects of one bucket. Keys are made by the service. An outage is a `DomainError` with `store_unavailable`; bytes
 * that are not those of their checksum are refused by one with `bad_request`.
 */
export interface FileStore {
  /** Signs a link, which only reads, and only this object. Whether there is one is not asked. */
  sign(link: LinkRequest): Promise<FileLink>
  /** Returns the facts about an object; nothing if there is no complete one. */
  head(key: string): Promise<FileHead | undefined>
  /** Returns all bytes of an object; nothing if it does not exist or has more than `maxBytes`. */
  read(key: string, maxBytes: number): Promise<Uint8Array | undefined>
  /** Stores an object at once; it shows when it is whole. */
  put(key: string, contentType: string, body: FileBody): Promise<void>
  /** Removes an object; succeeds if it does not exist. */
  remove(key: string): Promise<void>
  /**
   * Sets or ends the object store's own hold on an object, which keeps its bytes from everyone who may remove objects,
   * also on one that was removed and whose bytes are still kept. Does nothing where the deployment has no lock, or
   * there are no bytes.
   */
  hold(key: string, isHeld: boolean): Promise<void>
  /** Begins an upload in parts, which shows when it is completed, and which the store drops after seven days. */
  beginUpload(key: string, contentType: string): Promise<Upload>
  /** Stores a part; one of the same number replaces it. */
  putPart(upload: Upload, number: number, body: FileBody): Promise<UploadedPart>
  /** Signs a link that stores this one part, with `PUT`, for 1 to 3600 seconds. The upload is not checked. */
  signPart(upload: Upload, part: LinkedPart, seconds: number): Promise<PartLink>
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
