/**
 * The directory as the engine sees it: asked as the engine asks, and read through its preprocessor by an XML parser.
 */
import { XMLParser } from 'fast-xml-parser'
import { expect } from 'vitest'
import { handler as lookUpDirectory } from '../../../functions/engine/look-up-directory.ts'
import { fromByteText, toByteText } from '../../../packages/simulated-freeswitch/runtime/byte-text.ts'
import { preprocessXml } from '../../../packages/simulated-freeswitch/lookups/preprocess-xml.ts'
import { UserDirectory } from '../../../packages/simulated-freeswitch/directory/user-directory.ts'
import type { Api } from './api.ts'
import { engineAuthorization } from './engine-credential.ts'

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseAttributeValue: false,
  trimValues: false,
  htmlEntities: true,
  isArray: (name) => ['param', 'variable', 'user'].includes(name),
})

/** Reads an answer as an XML parser does that sees it whole. */
export function readWhole(xml: string) {
  const { section } = parser.parse(xml).document
  const named = (items: { name: string; value: string }[] = []) =>
    Object.fromEntries(items.map(({ name, value }) => [name, value]))
  const settings = (of: { params?: { param?: [] }; variables?: { variable?: [] } } = {}) => ({
    params: named(of.params?.param),
    variables: named(of.variables?.variable),
  })
  const users = section.domain?.groups.group.users.user ?? []
  return {
    section: section.name,
    status: section.result?.status,
    domain: section.domain?.name,
    ...settings(section.domain),
    users: users.map((user: Record<string, string>) => Object.assign(user, settings(user))),
  }
}

/** Reads an answer as the engine does. Fails when the preprocessor changes it, obeys it or leaves nothing of it. */
export function readDirectory(xml: string) {
  const { text, directives } = preprocessXml(toByteText(xml))
  expect({ text: fromByteText(text), directives }).toEqual({ text: xml.toWellFormed(), directives: [] })
  return readWhole(fromByteText(text))
}

/**
 * Asks with the engine's credential; whatever is asked for is answered 200. `query` says how long the engine may keep
 * answers.
 */
export async function askDirectory(api: Api, rawBody: string, query = '') {
  const basic = engineAuthorization(api.ports.secrets.engine)
  const headers = { ...basic, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await api.call(lookUpDirectory, {
    rawBody: Buffer.from(rawBody).toString('base64'),
    base64: true,
    query,
    headers,
  })
  expect(answer).toMatchObject({ status: 200, headers: { 'Content-Type': 'text/xml; charset=utf-8' } })
  return { ...readDirectory(answer.text), text: answer.text }
}

/** The form of a lookup, of which a test names only what it is about. */
export const directoryForm = (fields: Record<string, string>) =>
  new URLSearchParams({ section: 'directory', tag_name: 'domain', key_name: 'name', key: 'id', ...fields }).toString()

/** The users of an engine whose directory the API is, with the real engine's cache. */
export const engineUsers = (api: Api, query = '') =>
  new UserDirectory(async (form) => (await askDirectory(api, new URLSearchParams(form).toString(), query)).text, {
    now: () => api.clock.now(),
  })
