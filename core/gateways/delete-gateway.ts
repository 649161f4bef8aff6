import { type Precondition, requireMatch } from '../requests/precondition.ts'
import { untilDone } from '../concurrency/retry.ts'
import type { GatewayStore } from './gateway-store.ts'
import type { GatewayName } from './gateway.ts'
import { readGateway } from './read-gateway.ts'

/** Removes a gateway. Throws `not_found`, and `precondition_failed` when the precondition does not hold. */
export async function deleteGateway(
  gateways: Pick<GatewayStore, 'read' | 'remove'>,
  name: GatewayName,
  precondition: Precondition,
): Promise<void> {
  await untilDone(async () => {
    const gateway = await readGateway(gateways, name)
    requireMatch(precondition, gateway)
    return (await gateways.remove(gateway)) || undefined
  })
}
