import { dynamoConnectorStatusStore } from '../../../adapters/dynamodb/calls/dynamo-connector-status-store.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { sharedEnvironment } from '../../../local/platform/local-environment.ts'
import { readSettings } from '../../../local/settings/settings.ts'
import type { BegunChannel } from './platform-invariants.ts'
import type { TestPlatform } from '../platform/platform.ts'

/**
 * Says where events were last seen that are neither published nor in a gap: when each was sent, and by which connector
 * it can have been read, from when to when each was alive and what it last reported to have queued and written to disk.
 */
export async function connectorEvidence(
  { platform }: TestPlatform,
  { missing, killedAt }: { readonly missing: readonly BegunChannel[]; readonly killedAt: readonly number[] },
): Promise<string> {
  const [container] = platform.assembly.containers
  const credential = platform.gate.issue(container?.roleArn ?? '')
  const env = { ...container?.environment, ...sharedEnvironment(readSettings({}), platform.storesUrl, credential) }
  const store = dynamoConnectorStatusStore({ env, clock: systemClock, random: systemRandomness })
  const reports = (await store.list(0)).toSorted((a, b) => a.startedAt - b.startedAt)
  return [
    ...missing.map(({ uuid, at }) => `${uuid} began at ${at}`),
    ...killedAt.map((at) => `a connector was killed at ${at}`),
    ...reports.map(({ startedAt, reportedAt, handedOverTo, keptTo, eventLinks }) =>
      JSON.stringify({ startedAt, reportedAt, handedOverTo, keptTo, eventLinks }),
    ),
  ].join('\n')
}
