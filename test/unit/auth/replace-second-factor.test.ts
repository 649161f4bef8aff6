import { expect, it } from 'vitest'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { replaceFactor } from '../../../core/auth/second-factor.ts'
import type { Account } from '../../../core/accounts/account.ts'
import { manualTime } from '../../support/processes/manual-time.ts'
import { memoryPorts } from '../../support/memory/memory-ports.ts'
import { aDomain, anAccount } from '../../support/records/records.ts'

const factor = { sealed: 'sealed', isOn: true, usedStep: 7 }

/** An account with a second factor that was read before somebody else changed it. */
async function aStaleAccount(change: Partial<Account>) {
  const { accounts, domains } = memoryPorts({ clock: manualTime().clock, random: systemRandomness })
  const read = anAccount({ secondFactor: factor })
  await domains.create(aDomain({ name: read.domain }))
  await accounts.create(read, 10)
  await accounts.update({ ...read, ...change, version: read.version + 1 }, read)
  return { accounts, read }
}

it.each<[string, Partial<Account>]>([
  ['new credentials', { credentialsId: 'another' }],
  ['another secret', { secondFactor: { ...factor, sealed: 'another' } }],
  ['a second factor that is off', { secondFactor: { ...factor, isOn: false } }],
  ['a code that was used meanwhile', { secondFactor: { ...factor, usedStep: 8 } }],
])('a second factor is not replaced in an account that was read before it got %s', async (_what, change) => {
  const { accounts, read } = await aStaleAccount(change)

  await expect(replaceFactor(accounts, read, undefined)).rejects.toMatchObject({ code: 'conflict' })

  expect((await accounts.read(read.domain, read.login))?.secondFactor).toBeDefined()
})

it('replacing a second factor keeps variables of the account that changed meanwhile', async () => {
  const { accounts, read } = await aStaleAccount({ variables: { x_a: 'b' } })

  await replaceFactor(accounts, read, undefined)

  expect(await accounts.read(read.domain, read.login)).toMatchObject({ variables: { x_a: 'b' } })
  expect((await accounts.read(read.domain, read.login))?.secondFactor).toBeUndefined()
})
