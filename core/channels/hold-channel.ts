import type { CallEngine } from '../commands/call-engine.ts'
import { type EngineAnswer, type Orderer, commandScope, engineWaitMs, okAnswer, requireDone } from './engine-answer.ts'

/** Puts a channel on hold or takes it off. Repeating the order is a success. */
export async function holdChannel(
  engine: Pick<CallEngine, 'run'>,
  orderer: Orderer,
  uuid: string,
  state: 'hold' | 'unhold',
): Promise<EngineAnswer> {
  requireDone(await engine.run({ kind: state, uuid }, commandScope(orderer), engineWaitMs))
  return okAnswer('+OK Success\n')
}
