import { describe, expect, it } from 'vitest'
import { FairPlaces, TooManyWaiting } from '../../../local/gateway/fair-places.ts'

const forever = new AbortController().signal

/** Places, with a list of who got one, in order. */
function aLab(limits: { places: number; waiting: number }) {
  const places = new FairPlaces(limits)
  const got: string[] = []
  const refused: string[] = []
  const leaves = new Map<string, () => void>()
  const ask = async (caller: string, name = caller, { count = 1, signal = forever } = {}) => {
    try {
      const leave = places.take(caller, count) ?? (await places.wait(caller, signal, count))
      got.push(name)
      leaves.set(name, leave)
    } catch (error) {
      refused.push(error instanceof TooManyWaiting ? name : `${name}: gone`)
    }
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { got, refused, ask, leave: (name: string) => leaves.get(name)?.(), settled }
}

describe('places that callers share', () => {
  it('one caller alone gets at most half of the shared slots, so that a new caller always finds a free one', async () => {
    const { got, ask, settled } = aLab({ places: 8, waiting: 100 })

    for (let index = 1; index <= 10; index += 1) void ask('busy', `busy ${index}`)
    void ask('new')
    await settled()

    expect(got).toEqual(['busy 1', 'busy 2', 'busy 3', 'busy 4', 'new'])
  })

  it('waiting callers get shared slots in turn, however many requests of one caller came first', async () => {
    const { got, ask, leave, settled } = aLab({ places: 1, waiting: 100 })
    for (const name of ['a 1', 'a 2', 'a 3', 'a 4']) void ask('a', name)
    for (const name of ['b 1', 'b 2']) void ask('b', name)

    for (const name of ['a 1', 'a 2', 'b 1', 'a 3', 'b 2']) {
      await settled()
      leave(name)
    }
    await settled()

    expect(got).toEqual(['a 1', 'a 2', 'b 1', 'a 3', 'b 2', 'a 4'])
  })

  it('a small request does not overtake a waiting larger one of the same caller', async () => {
    const { got, ask, leave, settled } = aLab({ places: 8, waiting: 100 })
    void ask('a', 'first', { count: 3 })
    void ask('a', 'large', { count: 3 })
    void ask('a', 'small')
    await settled()
    expect(got).toEqual(['first'])

    leave('first')
    await settled()

    expect(got).toEqual(['first', 'large', 'small'])
  })

  it('the newest request of the longest queue is refused when too many wait, and not a new caller', async () => {
    const { got, refused, ask, settled } = aLab({ places: 1, waiting: 3 })
    for (const name of ['first', 'second', 'third', 'fourth']) void ask('busy', name)

    void ask('new')
    await settled()

    expect({ got, refused }).toEqual({ got: ['first'], refused: ['fourth'] })
  })

  it('a shared slot that is released twice is free once', async () => {
    const { got, ask, leave, settled } = aLab({ places: 2, waiting: 100 })
    for (const name of ['a', 'b', 'c', 'd']) void ask(name)

    leave('a')
    leave('a')
    await settled()

    expect(got).toEqual(['a', 'b', 'c'])
  })

  it('no shared slot is kept for a request whose client has disconnected', async () => {
    const gone = new AbortController()
    const { got, refused, ask, leave, settled } = aLab({ places: 1, waiting: 100 })
    void ask('a')
    void ask('b', 'b', { signal: gone.signal })
    void ask('c')

    gone.abort()
    leave('a')
    await settled()

    expect({ got, refused }).toEqual({ got: ['a', 'c'], refused: ['b: gone'] })
  })

  it('a request that needs many shared slots gets them only when so many are free', async () => {
    const { got, ask, leave, settled } = aLab({ places: 8, waiting: 100 })
    void ask('a', 'a', { count: 4 })
    void ask('b', 'b', { count: 6 })
    void ask('c', 'c', { count: 2 })
    await settled()
    const before = [...got]

    leave('a')
    await settled()

    expect([before, got]).toEqual([
      ['a', 'c'],
      ['a', 'c', 'b'],
    ])
  })
})
