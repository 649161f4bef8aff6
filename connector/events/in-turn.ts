import type { EngineEvent } from '../runtime/engine.ts'

/**
 * Something to be done when every event before it has been handled: it waits among the events of its engine as one of
 * them, since they may wait for a store while links come and go.
 */
export class InTurn implements EngineEvent {
  readonly name = ''
  readonly subclass = ''
  readonly uuid = ''
  readonly coreUuid = ''
  readonly sequence = ''
  readonly body = ''
  readonly bytes = 512
  readonly run: () => void

  /** `run` must not throw. */
  constructor(run: () => void) {
    this.run = run
  }

  header(): undefined {
    return undefined
  }

  headers(): Readonly<Record<string, string>> {
    return {}
  }

  jsonWith(): undefined {
    return undefined
  }
}
