/** Every order in which the steps of a few processes can happen, with processes that are killed between steps. */

/** Does one step of a process: runs `act` when the step's turn comes, and returns its result. */
export type Step = <T>(act: () => T) => Promise<T>

/**
 * Processes that begin together, with the state that they share. A new one is made for each order that is looked at.
 */
export interface Scene {
  /** The programs of the processes. A process ends with its program. */
  readonly programs: readonly ((step: Step) => Promise<void>)[]
  /** Is called when a process was killed, or ended. */
  readonly ended: (process: number) => void
  /** The shared state as text. The results of its steps determine the state of a process. */
  readonly state: () => string
  /** Throws when something is wrong that must never be. */
  readonly check: () => void
}

interface Choice {
  readonly process: number
  readonly isKill: boolean
}

interface Process {
  /** The next step; absent when the process has ended or was killed. */
  next: (() => void) | undefined
  readonly results: unknown[]
}

/**
 * Looks at all orders of a scene's steps with up to so many kills. Orders that lead to the same state are looked at
 * once. Returns how many states there are, and rejects with the order that leads to a failed check.
 */
export async function everyOrder(begin: () => Scene, kills: number): Promise<number> {
  const seen = new Set<string>()
  const open: Choice[][] = [[]]
  for (let order = open.pop(); order !== undefined; order = open.pop()) {
    const { scene, processes } = await replay(begin, order)
    const killed = order.filter(({ isKill }) => isKill).length
    const state = JSON.stringify([killed, scene.state(), processes.map(({ next, results }) => [!next, results])])
    if (seen.has(state)) continue
    seen.add(state)
    for (const [process, { next }] of processes.entries()) {
      if (next === undefined) continue
      open.push([...order, { process, isKill: false }])
      if (killed < kills) open.push([...order, { process, isKill: true }])
    }
  }
  return seen.size
}

async function replay(begin: () => Scene, order: readonly Choice[]) {
  const scene = begin()
  const processes = scene.programs.map((program, index) => start(program, () => scene.ended(index)))
  await settled()
  for (const [position, { process, isKill }] of order.entries()) {
    const running = processes[process]
    const next = running?.next
    if (running !== undefined) running.next = undefined
    if (isKill) scene.ended(process)
    else next?.()
    await settled()
    if (position === order.length - 1) checkAfter(scene, order)
  }
  return { scene, processes }
}

function start(program: (step: Step) => Promise<void>, ended: () => void): Process {
  const process: Process = { next: undefined, results: [] }
  const step: Step = (act) =>
    new Promise((resolve, reject) => {
      process.next = () => {
        try {
          const result = act()
          process.results.push(result)
          resolve(result)
        } catch (error) {
          process.results.push(String(error))
          reject(error)
        }
      }
    })
  void program(step).then(ended)
  return process
}

function checkAfter(scene: Scene, order: readonly Choice[]): void {
  try {
    scene.check()
  } catch (error) {
    const steps = order.map(({ process, isKill }) => `${process}${isKill ? ' killed' : ''}`).join(', ')
    throw new Error(`after the steps of processes ${steps}: ${String(error)}`, { cause: error })
  }
}

/** Settles when every process has come to its next step. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
