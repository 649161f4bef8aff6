import { rmSync } from 'node:fs'
import type { Figures } from './figures.ts'
import { startPlatform, temporaryState } from './platform.ts'

/**
 * `npm start` to healthy, installed: the first time, with nothing synthesized and no state, and the second time with
 * both there; and the memory of all processes when idle.
 */
export async function benchStart(): Promise<Figures> {
  const state = temporaryState()
  try {
    for (const folder of ['cdk.out', '.build']) rmSync(folder, { recursive: true, force: true })
    const first = await startPlatform(state.path)
    await first.stop()
    const second = await startPlatform(state.path)
    const memoryMb = second.memoryMb()
    await second.stop()
    return { startFirstMs: first.startMs, startSecondMs: second.startMs, memoryMb }
  } finally {
    state.remove()
  }
}
