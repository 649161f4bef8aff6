import type { HookReply } from './hook-client.ts'
import type { Hook } from '../definition/hook.ts'

/** The names of values from a pre-request's answer; see `core/hooks/request/template.ts` for the form of names. */
const wanted = /\$\{auth:(body|header):([A-Za-z0-9_:.-]{1,116})\}/g

/** Stands for the cookies of a pre-request's answer where those are passed on. */
const anyCookie = '${auth:cookie name}=${auth:cookie value}'

/**
 * Returns a reply to the pre-request of a hook in which every value is its own placeholder, so that a request made with
 * it shows where real values would be: `${auth:body:token}` stays `${auth:body:token}`.
 */
export function placeholderReply(hook: Pick<Hook, 'headers' | 'rawBody'>): HookReply {
  const templates = [...Object.values(hook.headers), hook.rawBody]
  const asked = templates.flatMap((template) =>
    [...template.matchAll(wanted)].map(([text, part, name = '']) => ({ text, part, name })),
  )
  const inBody = asked.filter(({ part }) => part === 'body')
  const isHeader = (name: string) => name === name.toLowerCase()
  const inHeaders = asked.filter(({ part, name }) => part === 'header' && isHeader(name))
  const inCookies = asked.filter(({ part, name }) => part === 'header' && !isHeader(name))
  const cookies = inCookies.map(({ text, name }) => `${name}=${text}`)
  return {
    outcome: 'answered',
    status: 200,
    headers: {
      ...Object.fromEntries(inHeaders.map(({ text, name }) => [name, text])),
      'set-cookie': [...cookies, anyCookie].join('\n'),
    },
    body: JSON.stringify(Object.fromEntries(inBody.map(({ text, name }) => [name, text]))),
    durationMs: 0,
  }
}
