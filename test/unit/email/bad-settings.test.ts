import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as z from 'zod/mini'
import { mailAddress } from '../../../contracts/fields.ts'
import { handler as createEmailSettings } from '../../../functions/email/create-email-settings.ts'
import { handler as readEmailSettings } from '../../../functions/email/read-email-settings.ts'
import { anApi } from '../../support/platform/api.ts'

const groups = z.parse(
  z.record(z.string(), z.array(z.string())),
  JSON.parse(readFileSync(new URL('../../fixtures/bad-inputs/account-fields.json', import.meta.url), 'utf8')),
)

/** `options.host: "x"`: the path of a field, and its value as JSON. */
const samples = (groups['mail settings'] ?? []).map((sample) => {
  const at = sample.indexOf(': ')
  return [sample.slice(0, at), JSON.parse(sample.slice(at + 2))] as const
})

/** Good settings, but for one field. */
function settingsWith(path: string, value: unknown): object {
  const options: Record<string, unknown> = { host: 'smtp.example.com', port: 465, tls: { rejectUnauthorized: true } }
  if (path === 'options.tls.rejectUnauthorized') options['tls'] = { rejectUnauthorized: value }
  else if (path.startsWith('options.')) options[path.slice('options.'.length)] = value
  return { provider: 'smtp', description: '', from: path === 'from' ? value : 'pbx@a.example.com', options }
}

it('the samples are there', () => {
  expect(samples.length).toBeGreaterThanOrEqual(8)
})

it.each(samples)('mail settings whose %s is %j are refused, and nothing is kept', async (path, value) => {
  const api = anApi()
  const admin = { ...(await api.as(await api.account({ login: '1000', role: 'admin' }))) }

  const refused = await api.call(createEmailSettings, { headers: admin, body: settingsWith(path, value) })

  expect(refused.status).toBe(400)
  expect(JSON.stringify(refused.body.details)).toContain(path.split('.').at(-1))
  expect((await api.call(readEmailSettings, { headers: admin })).status).toBe(404)
})

it('a mail address has at most 64 characters before its @, and 254 in all', () => {
  const accepted = (before: number, after: number) =>
    mailAddress.safeParse(`${'a'.repeat(before)}@${'b.'.repeat((after - 1) / 2)}c`).success

  expect([accepted(1, 1), accepted(64, 189), accepted(62, 191)]).toEqual([true, true, true])
  expect([accepted(0, 1), accepted(65, 1), accepted(64, 191)]).toEqual([false, false, false])
})
