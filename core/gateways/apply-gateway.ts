import type { CallEngine } from '../commands/call-engine.ts'
import { type ReportUnsent, notifyEngine } from '../commands/notify-engine.ts'
import type { GatewayName } from './gateway.ts'

/**
 * Orders the engines to take over a gateway as it is stored now. The change stays where the order cannot be queued:
 * that is reported, and engines take the gateway over when all are compared, within an hour.
 */
export async function applyGateway(
  engine: Pick<CallEngine, 'send'>,
  { domain, name }: GatewayName,
  context: { readonly requestId: string; readonly reportUnsent: ReportUnsent },
): Promise<void> {
  await notifyEngine(engine, [{ kind: 'apply-gateway', name }], { domain, ...context })
}
