/** Answers a lookup: takes the fields that the engine sends form-encoded and gives the XML text of the answer. */
export type XmlLookup = (form: Readonly<Record<string, string>>) => Promise<string>

/** The engine's own patience with its service, as in the recordings (`xml-curl/register-timeout`). */
const timeoutMs = 3_000

/** An answer for one user or call is a few kilobytes; anything much larger is no such answer. */
const maxAnswerBytes = 1024 * 1024

/** A service that answers lookups, as the engine's module `mod_xml_curl` is told of one. */
export interface HttpLookupOptions {
  readonly url: string | URL
  /** What the engine presents there by HTTP Basic: `<user>:<password>`. */
  readonly credentials: string
}

/**
 * Asks over HTTP as the engine's own lookup module does: form-encoded, with Basic credentials. Rejects on any status
 * but 200, on a redirect, on a slow answer and on one that is too large.
 */
export function httpLookup({ url, credentials }: HttpLookupOptions): XmlLookup {
  const authorization = `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`
  return async (form) => {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { authorization, 'user-agent': 'freeswitch-xml/1.0' },
      body: new URLSearchParams(form),
    })
    if (response.status !== 200) throw new Error(`the lookup was answered with ${response.status}`)
    const text = await response.text()
    if (text.length > maxAnswerBytes) throw new Error('the answer to the lookup is too large')
    return text
  }
}
