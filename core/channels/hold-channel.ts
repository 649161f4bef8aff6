import type { CallEngine } from '../commands/call-engine.ts'
import { type EngineReply, type Orderer, commandScope, engineWaitMs, okReply, requireDone } from './engine-reply.ts'

/** Puts a channel on hold or takes it off. Repeating the order is a success. */
export async function holdChannel(
  engine: Pick<CallEngine, 'run'>,
  orderer: Orderer,
  uuid: string,
  state: 'hold' | 'unhold',
): Promise<EngineReply> {
  requireDone(await engine.run({ kind: state, uuid }, commandScope(orderer), engineWaitMs))
  return okReply('+OK Success\n')
}
