import type { LambdaFunction } from '../assembly/assembly.ts'
import { FunctionHost, type HostOptions } from './function-host.ts'

/** The heap of the thread of lookups: two modules, and what they keep of the stores. */
const lookupHeapMb = 64

/**
 * Runs the functions of an assembly in two threads: those that look something up for a caller that waits only briefly,
 * and all others. So a lookup never waits for other work to leave the processor, as it does not in the cloud.
 */
export class FunctionHosts {
  readonly #others: FunctionHost
  readonly #lookups: FunctionHost
  readonly #lookupNames: ReadonlySet<string>

  /** `lookupArns` are the functions of lookups. */
  constructor(functions: readonly LambdaFunction[], lookupArns: ReadonlySet<string>, options: HostOptions) {
    const [lookups, others] = [true, false].map((is) => functions.filter(({ arn }) => lookupArns.has(arn) === is))
    this.#lookupNames = new Set(lookups?.map(({ name }) => name))
    this.#others = new FunctionHost(others ?? [], options)
    this.#lookups = new FunctionHost(lookups ?? [], { ...options, heapMb: lookupHeapMb })
  }

  invoke(name: string, event: unknown): Promise<unknown> {
    return (this.#lookupNames.has(name) ? this.#lookups : this.#others).invoke(name, event)
  }

  async close(): Promise<void> {
    await Promise.all([this.#others.close(), this.#lookups.close()])
  }
}
