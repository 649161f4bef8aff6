import { secretsManagerSecretReader } from '../../adapters/aws/secrets-manager-secret-reader.ts'
import { publicUrl } from '../../contracts/settings/platform.ts'
import { readVariable } from '../../contracts/settings/setting.ts'
import { cloudContext } from '../../functions/endpoint/cloud.ts'
import { tryPlatform } from './try-platform.ts'

/**
 * Tries the platform that it is part of, as `npm run smoke` does. A failed step fails the call, which an alarm counts.
 */
export async function handler(): Promise<void> {
  const context = cloudContext()
  const url = readVariable(publicUrl, context.env)
  const { text: rootPassword } = await secretsManagerSecretReader(context).rootPassword()
  await tryPlatform({
    url,
    rootPassword,
    receiver: new URL('/health', url).href,
    needsEngine: true,
    say: (line) => console.log(line),
  })
}
