import type { MemoryPorts } from '../memory/memory-ports.ts'

/** A moment in the life of a function: just before or just after one of its calls to a port. */
export interface Moment {
  /** 1 for its first call. */
  readonly call: number
  readonly side: 'before' | 'after'
}

/** Ports of a function that is killed at a moment: that call does or does not happen, and no later one does. */
export interface DyingPorts {
  readonly ports: MemoryPorts
  /** How many calls were made or tried. */
  calls(): number
  /** `port.method` of each call, in order. */
  readonly names: string[]
}

/** Wraps ports. Without a moment nothing dies, and the calls are counted. */
export function dying(ports: MemoryPorts, moment?: Moment): DyingPorts {
  const names: string[] = []
  let isDead = false

  async function made(name: string, call: () => unknown): Promise<unknown> {
    if (isDead) throw new Error('the function was killed')
    names.push(name)
    const isLast = names.length === moment?.call
    isDead = isLast
    if (isLast && moment?.side === 'before') throw new Error('the function was killed')
    const result = await call()
    if (isLast) throw new Error('the function was killed')
    return result
  }

  const wrapped = Object.entries(ports).map(([port, value]: [string, object]) => {
    if (port === 'state') return [port, value]
    const proxy = new Proxy(value, {
      get(target, method, receiver) {
        const member: unknown = Reflect.get(target, method, receiver)
        if (typeof member !== 'function' || method === 'answer') return member
        return (...given: unknown[]) => made(`${port}.${String(method)}`, () => Reflect.apply(member, target, given))
      },
    })
    return [port, proxy]
  })
  return { ports: Object.fromEntries(wrapped) as MemoryPorts, calls: () => names.length, names }
}
