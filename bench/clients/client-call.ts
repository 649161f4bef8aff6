import type { AdapterContext } from '../../adapters/context.ts'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { getItem } from '../../adapters/dynamodb/client.ts'
import { systemClock } from '../../adapters/system/system-time.ts'

/** Makes one call of the store through its client, with nothing around it. */
export async function handler(): Promise<void> {
  const context: AdapterContext = { env: process.env, clock: systemClock, random: systemRandomness }
  await getItem(context, 'tokens', { pk: 'a', sk: 'a' })
}
