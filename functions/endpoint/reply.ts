import { type Versioned, entityTag } from '../../core/requests/precondition.ts'

/** A success body with a status or headers of its own. */
export class Reply<B> {
  readonly body: B
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(body: B, status: number, headers: Readonly<Record<string, string>>) {
    this.body = body
    this.status = status
    this.headers = headers
  }
}

/** A success without a body that redirects the client: 302. */
export class Redirect {
  readonly location: string
  readonly headers: Readonly<Record<string, string>>

  constructor(location: string, headers: Readonly<Record<string, string>> = {}) {
    this.location = location
    this.headers = headers
  }
}

/** A success whose body is bytes: 200. A function answers 6 MB at most, and base64 takes a third of them. */
export class Bytes {
  readonly body: Uint8Array
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>

  constructor(body: Uint8Array, contentType: string, headers: Readonly<Record<string, string>> = {}) {
    this.body = body
    this.contentType = contentType
    this.headers = headers
  }
}

/** The optional additions of a {@link reply}. */
export interface ReplyExtras {
  /** 200 by default. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The record that the body shows; its version becomes the `ETag`. */
  readonly record?: Versioned
}

/** Creates a {@link Reply}. */
export function reply<B>(body: B, { status = 200, headers = {}, record }: ReplyExtras = {}): Reply<B> {
  return new Reply(body, status, record === undefined ? headers : { ...headers, ETag: entityTag(record) })
}

/** `{status:"OK", data}` */
export function okData<D>(data: D): { status: 'OK'; data: D } {
  return { status: 'OK', data }
}

/** `{status:"OK", info}` */
export function okInfo<I>(info: I): { status: 'OK'; info: I } {
  return { status: 'OK', info }
}
