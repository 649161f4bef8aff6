import { Client, type Token } from '../../../client/index.ts'
import { checkOverHttp } from './declared.ts'

/**
 * A client of a platform at `base`, whose answers are held against the declarations of their routes. It repeats
 * nothing, so that each call is one request. It presents the token given, or no credential.
 */
export function clientOf(base: string, token?: Token): Client {
  const checked = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(url, init)
    // The link of a recording leads to the object store, which gets no headers.
    if (init.headers !== undefined) await check(url, init, response.clone())
    return response
  }
  return new Client({ url: base, retries: 0, fetch: checked, ...(token === undefined ? {} : { token }) })
}

async function check(url: string, { method = 'GET', body }: RequestInit, response: Response): Promise<void> {
  const { pathname, search } = new URL(url)
  const asked = { method, path: pathname + search, text: typeof body === 'string' ? body : undefined }
  const contentType = response.headers.get('content-type') ?? undefined
  checkOverHttp(asked, { status: response.status, contentType, text: await response.text() })
}
