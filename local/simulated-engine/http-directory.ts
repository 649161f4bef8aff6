import type { DirectoryLookup } from './directory/directory.ts'

/** The engine's own patience with its directory, as in the recordings (`xml-curl/register-timeout`). */
const timeoutMs = 3_000

/** An answer for one user is a few kilobytes; anything much larger is no such answer. */
const maxAnswerBytes = 1024 * 1024

/** Where the directory is and what the engine presents there. */
export interface HttpDirectoryOptions {
  /** The service's base address; the lookup goes to `/engine/directory` below it. */
  readonly url: string
  /** The password of the user `engine`, by HTTP Basic. */
  readonly credential: string
}

/**
 * Asks a directory over HTTP as the engine's own lookup module does: form-encoded, with Basic credentials. Rejects on
 * any status but 200, on a slow answer and on one that is too large.
 */
export function httpDirectory({ url, credential }: HttpDirectoryOptions): DirectoryLookup {
  const address = new URL('/engine/directory', url)
  const authorization = `Basic ${Buffer.from(`engine:${credential}`, 'utf8').toString('base64')}`
  return async (form) => {
    const response = await fetch(address, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { authorization, 'user-agent': 'freeswitch-xml/1.0' },
      body: new URLSearchParams(form),
    })
    if (response.status !== 200) throw new Error(`the directory answered ${response.status}`)
    const text = await response.text()
    if (text.length > maxAnswerBytes) throw new Error('the answer of the directory is too large')
    return text
  }
}
