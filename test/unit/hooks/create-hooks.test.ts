import { describe, expect, it } from 'vitest'
import { addressGuard } from '../../../adapters/http/address-guard.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { linearPattern } from '../../../adapters/regex/linear-pattern.ts'
import * as routes from '../../../contracts/routes/hooks.ts'
import { createHooks } from '../../../core/hooks/definition/create-hooks.ts'
import type { HookInput } from '../../../core/hooks/definition/hook-input.ts'
import { listHooks } from '../../../core/hooks/definition/list-hooks.ts'
import { presentCreatedHooks } from '../../../core/hooks/definition/present-hook.ts'
import { secretPurpose } from '../../../core/hooks/definition/signing.ts'
import { aHookInput } from '../../support/records/hook-input.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'

const domain = 'a.example.com'
const reader = { domain, acl: { hook: ['*'] as const } }

function aSetup() {
  const clock = movableClock()
  const ports = memoryPorts({ clock, random: systemRandomness })
  const judges = { guard: addressGuard(''), compile: linearPattern }
  const tools = { ...ports, clock, random: systemRandomness, judges }
  return { ports, clock, create: (input: HookInput | HookInput[], into = domain) => createHooks(tools, into, input) }
}

describe('a created hook', () => {
  it('a created hook has the defaults of the contract', async () => {
    const { create } = aSetup()

    const created = await create(aHookInput({ action: { type: 'web', method: 'post', url: 'https://r.example.com/' } }))

    expect(presentCreatedHooks(created, reader.acl).data.ops).toEqual([
      {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        domain,
        event: 'CHANNEL_CREATE',
        enable: true,
        description: '',
        action: { type: 'web', method: 'POST', url: 'https://r.example.com/' },
        fields: [],
        map: {},
        filter: {},
        headers: {},
        auth: { enabled: false, url: '', method: 'GET', headers: {}, map: {}, cookie: false },
        customBody: false,
        rawBody: '',
        retries: 8,
      },
    ])
  })

  it('the response to creating a hook has the shape of the contract, with the secret this one time', async () => {
    const { create } = aSetup()

    const answer = presentCreatedHooks(await create([aHookInput(), aHookInput()]), reader.acl)

    expect(routes.createHooks.response.safeParse(answer).success).toBe(true)
    expect(answer.data).toMatchObject({ result: { ok: 1, n: 2 }, insertedCount: 2 })
    expect(Object.keys(answer.data.secrets)).toEqual(answer.data.insertedIds)
    for (const secret of Object.values(answer.data.secrets)) {
      expect(secret).toMatch(/^whsec_/)
      expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
    }
    expect(new Set(Object.values(answer.data.secrets)).size).toBe(2)
  })

  it('the secret of a created hook is stored encrypted for that hook only', async () => {
    const { create, ports } = aSetup()

    const { hooks, secrets } = await create(aHookInput())

    const [hook] = hooks
    const sealed = hook?.secrets[0]?.sealed ?? ''
    const id = hook?.id ?? ''
    const opened = Buffer.from(await ports.secretBox.open(sealed, secretPurpose(domain, id)))
    expect(`whsec_${opened.toString('base64')}`).toBe(secrets[id])
    await expect(ports.secretBox.open(sealed, secretPurpose('b.example.com', id))).rejects.toThrow()
    expect(JSON.stringify(hook)).not.toContain(opened.toString('base64'))
  })

  it('a created hook never shows a secret in the list', async () => {
    const { create, ports } = aSetup()
    const { secrets } = await create(aHookInput())

    const listed = JSON.stringify(await listHooks(ports.hooks, reader, {}))

    expect(listed).not.toContain('secret')
    expect(listed).not.toContain('sealed')
    for (const secret of Object.values(secrets)) expect(listed).not.toContain(secret.slice('whsec_'.length))
  })
})

describe('a broken hook', () => {
  it('a refusal of a hook names every wrong field, and nothing is written', async () => {
    const { create, ports } = aSetup()

    const refused = create(aHookInput({ event: 'ALL', customBody: true }))

    await expect(refused).rejects.toMatchObject({
      code: 'invalid_field',
      details: [{ field: 'event' }, { field: 'rawBody' }],
    })
    expect(await ports.hooks.list(domain)).toEqual([])
  })

  it('one invalid hook in a list prevents all from being created, and is named by its position', async () => {
    const { create, ports } = aSetup()

    const refused = create([aHookInput(), aHookInput({ event: 'ALL' })])

    await expect(refused).rejects.toMatchObject({ code: 'invalid_field', details: [{ field: '[1].event' }] })
    expect(await ports.hooks.list(domain)).toEqual([])
  })
})

describe('the list of hooks', () => {
  it('the list of hooks is ordered by creation', async () => {
    const { create, ports, clock } = aSetup()
    const ids: string[] = []
    for (let made = 0; made < 5; made += 1) {
      ids.push(...(await create(aHookInput())).hooks.map(({ id }) => id))
      clock.move(1)
    }

    const { data } = await listHooks(ports.hooks, reader, {})

    expect(data.map(({ _id }) => _id)).toEqual(ids)
    expect(routes.listHooks.response.safeParse({ status: 'OK', data }).success).toBe(true)
  })
})
