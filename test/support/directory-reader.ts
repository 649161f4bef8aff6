/** The directory as the engine sees it: asked as it asks, and read by an XML parser. */
import { XMLParser } from 'fast-xml-parser'
import { expect } from 'vitest'
import { handler as lookUpDirectory } from '../../functions/engine/look-up-directory.ts'
import type { Api } from './api.ts'

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseAttributeValue: false,
  trimValues: false,
  isArray: (name) => ['param', 'variable', 'user'].includes(name),
})

/** What an answer says. */
export function readDirectory(xml: string) {
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

/** Asks with the engine's credential; whatever is asked for is answered 200. */
export async function askDirectory(api: Api, rawBody: string) {
  const basic = Buffer.from(`engine:${api.ports.secrets.engine}`).toString('base64')
  const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await api.call(lookUpDirectory, {
    rawBody: Buffer.from(rawBody).toString('base64'),
    base64: true,
    headers,
  })
  expect(answer).toMatchObject({ status: 200, headers: { 'Content-Type': 'text/xml; charset=utf-8' } })
  return { ...readDirectory(answer.text), text: answer.text }
}

/** The form of a lookup, of which a test names only what it is about. */
export const directoryForm = (fields: Record<string, string>) =>
  new URLSearchParams({ section: 'directory', tag_name: 'domain', key_name: 'name', key: 'id', ...fields }).toString()
