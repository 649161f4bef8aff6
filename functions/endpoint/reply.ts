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

/** Makes a {@link Reply}; the status is 200 and there are no extra headers where not given. */
export function reply<B>(
  body: B,
  extras: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Reply<B> {
  return new Reply(body, extras.status ?? 200, extras.headers ?? {})
}

/** `{status:"OK", data}` */
export function okData<D>(data: D): { status: 'OK'; data: D } {
  return { status: 'OK', data }
}

/** `{status:"OK", info}` */
export function okInfo<I>(info: I): { status: 'OK'; info: I } {
  return { status: 'OK', info }
}
