import { expect, test } from 'vitest'
import { opened } from '../support/processes/opened.ts'
import { aGatewayState } from '../support/records/records.ts'
import type { StoreKind } from '../support/stores/stores.ts'

/** The contract of every {@link GatewayStateStore}. */
export function gatewayStateStoreContract(open: StoreKind['open']): void {
  const stores = opened(open)
  const states = () => stores().gatewayStates
  const sorted = (found: readonly object[]) => found.map((one) => JSON.stringify(one)).toSorted()

  test('the states of a gateway at several engines are read back, in its own domain only', async () => {
    const domain = 'states.test'
    const own = [
      aGatewayState({ domain }),
      aGatewayState({ domain, engine: '[::1]:8021', state: 'FAIL_WAIT', status: 'DOWN' }),
      aGatewayState({ domain, name: 'other_1', state: 'NOREG' }),
    ]
    await states().put([...own, aGatewayState({ domain: 'other.states.test' })])

    expect(sorted(await states().list(domain))).toEqual(sorted(own))
    expect(await states().list('states')).toEqual([])
  })

  test('a newer state of a gateway replaces the older one, a removed state is gone, and removing a missing one succeeds', async () => {
    const domain = 'newer-states.test'
    const [first, second] = [aGatewayState({ domain }), aGatewayState({ domain, state: 'UNREGED', status: 'DOWN' })]
    const kept = aGatewayState({ domain, name: 'kept' })
    await states().put([first, kept])

    await states().put([second])
    expect(sorted(await states().list(domain))).toEqual(sorted([second, kept]))

    await states().remove([first, aGatewayState({ domain, name: 'missing' })])
    expect(await states().list(domain)).toEqual([kept])
  })

  test('more gateway states than fit into a batch are written, listed and removed', async () => {
    const domain = 'many-states.test'
    const many = Array.from({ length: 130 }, (_, index) => aGatewayState({ domain, name: `trunk${index}` }))

    await states().put(many)
    expect(sorted(await states().list(domain))).toEqual(sorted(many))

    await states().remove(many)
    expect(await states().list(domain)).toEqual([])
  })

  test('the state of a gateway is forgotten if it is not written for a day', async () => {
    const domain = 'old-states.test'
    const now = stores().clock.now()
    const old = aGatewayState({ domain, observedAt: now - 86_400_000 })
    const kept = aGatewayState({ domain, name: 'kept', observedAt: now - 86_000_000 })

    await states().put([old, kept])

    expect(await states().list(domain)).toEqual([kept])
  })

  test('writing and removing no gateway states succeeds', async () => {
    await states().put([])
    await states().remove([])
  })
}
