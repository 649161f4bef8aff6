import { inspect } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.resetModules()
})

/** Loads a function anew, as a process whose environment has this variable would. */
function load(load: () => Promise<unknown>, name: string, value: string): Promise<unknown> {
  vi.resetModules()
  vi.stubEnv(name, value)
  return load()
}

const listAccounts = () => import('../../../functions/accounts/list-accounts.ts')
const updateAccount = () => import('../../../functions/accounts/update-account.ts')
const worker = () => import('../../../functions/hooks/hook-dispatch.ts')
const unmatched = () => import('../../../functions/unmatched.ts')

describe('a wrong value in the environment of a function stops it while it loads', () => {
  it.each([
    ['TOKEN_SECONDS', 'planted', 'a whole number from 300 to 8640000'],
    ['TOKEN_SECONDS', '299', 'a whole number from 300 to 8640000'],
    ['PASSWORD_MIN_LENGTH', '129', 'a whole number from 1 to 128'],
    ['DELETION_GRACE_SECONDS', '901', 'a whole number from 1 to 900'],
    ['SCRIPT_STEPS', 'planted', 'on or off'],
    ['EMERGENCY_NUMBERS', 'planted', 'a comma-separated list, each a number'],
    ['EMERGENCY_GATEWAY', 'plan ted', 'the name of a gateway of the engine'],
    ['PUBLIC_URL', 'planted', 'an address such as https://api.example.com, or empty'],
    ['RATE_LIMITS', 'token=5/planted', '"off" or rates such as token=50/s:100'],
    ['HOOK_ALLOWED_NETWORKS', 'planted', 'a comma-separated list, each a network such as 10.0.0.0/16 or fd00::/8'],
    ['LOG_LEVEL', 'planted', 'trace, debug, info, warn or error'],
  ])(
    'a function stops while it loads when %s is %j, and the error does not repeat the value',
    async (name, value, words) => {
      for (const part of [listAccounts, worker]) {
        const loading = load(part, name, value)

        await expect(loading).rejects.toThrow(`${name} must be ${words}`)
        await expect(loading).rejects.not.toThrow('planted')
      }
    },
  )

  it("a function that checks clients' names does not load if CLIENT_VARIABLES is malformed", async () => {
    const error: unknown = await load(updateAccount, 'CLIENT_VARIABLES', 'planted').catch((error: unknown) => error)

    expect(error).toMatchObject({ message: expect.stringMatching(/^CLIENT_VARIABLES must be a JSON object/) })
    expect(inspect(error)).not.toContain('planted')
  })

  it('the function for unmatched paths does not load if PUBLIC_URL is not an address', async () => {
    await expect(load(unmatched, 'PUBLIC_URL', 'planted')).rejects.toThrow(/^PUBLIC_URL must be an address/)
  })
})

it('a function with empty settings uses the defaults', async () => {
  for (const name of ['TOKEN_SECONDS', 'RATE_LIMITS', 'SCRIPT_STEPS', 'LOG_LEVEL']) vi.stubEnv(name, '')

  await expect(load(listAccounts, 'PASSWORD_MIN_LENGTH', '')).resolves.toHaveProperty('handler')
})
