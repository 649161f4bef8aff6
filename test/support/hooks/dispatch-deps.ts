import { deliveryId, hmacSha256 } from '../../../adapters/crypto/hook-digests.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { linearPattern } from '../../../adapters/regex/linear-pattern.ts'
import { systemTimers } from '../../../adapters/system/system-time.ts'
import type { EventDispatchDeps } from '../../../core/hooks/attempt/dispatch-events.ts'
import type { Timers } from '../../../core/concurrency/timers.ts'
import type { Clock } from '../../../core/time.ts'
import type { MemoryPorts } from '../memory/memory-ports.ts'

/** Returns what dispatching events over memory works with. Hooks are read each time. */
export function dispatchDeps(ports: MemoryPorts, clock: Clock, timers: Timers = systemTimers): EventDispatchDeps {
  return {
    ...ports,
    clock,
    random: systemRandomness,
    timers,
    hmac: hmacSha256,
    compile: linearPattern,
    rest: async () => {},
    deliveryIdOf: deliveryId,
    hooksFor: (domain) => ports.hooks.list(domain),
    report: () => {},
  }
}
