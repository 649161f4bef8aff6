import { type Versioned, entityTag } from '../../core/concurrency/precondition.ts'

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

/** What a {@link reply} may have besides its body. */
export interface ReplyExtras {
  /** 200 where not given. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The record that the body shows; its version is told in `ETag`. */
  readonly record?: Versioned
}

/** Makes a {@link Reply}. */
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
