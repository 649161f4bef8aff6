import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { emailSettingsOf } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

/** The contract of every {@link EmailSettingsStore}. */
export function emailSettingsStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  let domains = 0
  const someSettings = () => emailSettingsOf({ domain: `mail-${(domains += 1)}.example.com` })

  test('mail settings are read back unchanged, in their own domain only', async () => {
    const settings = someSettings()

    expect(await stores().emailSettings.put(settings)).toBe(true)

    expect(await stores().emailSettings.read(settings.domain)).toEqual(settings)
    expect(await stores().emailSettings.read(`${settings.domain}.org`)).toBeUndefined()
  })

  test('mail settings without a login are read back without one', async () => {
    const settings = someSettings()
    const { auth: _auth, ...options } = settings.options

    await stores().emailSettings.put({ ...settings, options })

    expect(await stores().emailSettings.read(settings.domain)).toEqual({ ...settings, options })
  })

  test('mail settings are replaced only if the stored version is the expected one', async () => {
    const settings = someSettings()
    const { emailSettings } = stores()

    expect(await emailSettings.put({ ...settings, version: 2 })).toBe(false)
    expect(await emailSettings.put(settings)).toBe(true)
    expect(await emailSettings.put({ ...settings, from: 'b@c.example.com' })).toBe(false)
    expect(await emailSettings.put({ ...settings, version: 2 })).toBe(true)
    expect(await emailSettings.put({ ...settings, version: 2 })).toBe(false)
    expect(await emailSettings.read(settings.domain)).toEqual({ ...settings, version: 2 })
  })

  test.each([1, 2])('one of many simultaneous writes of version %i succeeds', async (version) => {
    const settings = someSettings()
    if (version === 2) await stores().emailSettings.put(settings)
    const rivals = Array.from({ length: 8 }, (_, index) => ({ ...settings, version, description: `r${index}` }))

    const written = await Promise.all(rivals.map((rival) => stores().emailSettings.put(rival)))

    expect(written.filter(Boolean)).toHaveLength(1)
    expect(await stores().emailSettings.read(settings.domain)).toEqual(rivals[written.indexOf(true)])
  })

  test('a removal of mail settings removes only the intended version', async () => {
    const settings = someSettings()
    const { emailSettings } = stores()
    await emailSettings.put(settings)

    expect(await emailSettings.remove(settings.domain, 2)).toBe('version_changed')
    expect(await emailSettings.remove(settings.domain, 1)).toBe('removed')
    expect(await emailSettings.remove(settings.domain, 1)).toBe('absent')
    expect(await emailSettings.remove(settings.domain)).toBe('absent')
    await emailSettings.put(settings)
    expect(await emailSettings.remove(settings.domain)).toBe('removed')
    expect(await emailSettings.read(settings.domain)).toBeUndefined()
  })
}
