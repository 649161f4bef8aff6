import type { CallEngine } from '../commands/call-engine.ts'
import {
  type EngineReply,
  type Orderer,
  commandScope,
  engineWaitMs,
  okReply,
  refuseReload,
  requireDone,
} from './engine-reply.ts'

const usualCause = 'NORMAL_CLEARING'

/**
 * Hangs up a channel with a cause of the engine. Throws `not_found` if the engine has no such channel, and as {@link
 * requireDone} does.
 */
export async function hangUpChannel(
  engine: Pick<CallEngine, 'run'>,
  orderer: Orderer,
  uuid: string,
  cause: string = usualCause,
): Promise<EngineReply> {
  refuseReload(null, [['cause', cause]])
  requireDone(await engine.run({ kind: 'hangup', uuid, cause }, commandScope(orderer), engineWaitMs))
  return okReply('+OK\n')
}
