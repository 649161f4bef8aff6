/** Answers a lookup: takes the fields that the engine sends form-encoded and gives the XML text of the answer. */
export type XmlLookup = (form: Readonly<Record<string, string>>) => Promise<string>

/** The engine's own patience with its platform, as in the recordings (`xml-curl/register-timeout`). */
const timeoutMs = 3_000

/** An answer for one user or call is a few kilobytes; anything much larger is no such answer. */
const maxAnswerBytes = 1024 * 1024

/** Where the platform is and what the engine presents there. */
export interface HttpLookupOptions {
  /** The service's base address; the lookups go to `/engine/directory` and `/engine/dialplan` below it. */
  readonly url: string
  /** The password of the user `engine`, by HTTP Basic. */
  readonly credential: string
}

/** Asks for users. Rejects on any status but 200, on a slow answer and on one that is too large. */
export function httpDirectory(options: HttpLookupOptions): XmlLookup {
  return httpLookup('directory', options)
}

/** Asks for the routes of calls. Rejects as {@link httpDirectory} does. */
export function httpDialplan(options: HttpLookupOptions): XmlLookup {
  return httpLookup('dialplan', options)
}

/** Asks over HTTP as the engine's own lookup module does: form-encoded, with Basic credentials. */
function httpLookup(name: 'directory' | 'dialplan', { url, credential }: HttpLookupOptions): XmlLookup {
  const address = new URL(`/engine/${name}`, url)
  const authorization = `Basic ${Buffer.from(`engine:${credential}`, 'utf8').toString('base64')}`
  return async (form) => {
    const response = await fetch(address, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: { authorization, 'user-agent': 'freeswitch-xml/1.0' },
      body: new URLSearchParams(form),
    })
    if (response.status !== 200) throw new Error(`the ${name} answered ${response.status}`)
    const text = await response.text()
    if (text.length > maxAnswerBytes) throw new Error(`the answer of the ${name} is too large`)
    return text
  }
}
