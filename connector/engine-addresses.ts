import { enginePassword, engineUrl } from '../contracts/settings/connector.ts'
import { type Variables, readVariable } from '../contracts/settings/setting.ts'
import type { EngineAddress } from './runtime/engine.ts'

/**
 * Returns the engines of `ENGINE_URL` in their order. Those without a password of their own have `ENGINE_PASSWORD`.
 * Throws an error that names the variable that is missing or wrong and what it must be, never its value.
 */
export function readEngineAddresses(env: Variables): EngineAddress[] {
  const common = readVariable(enginePassword, env)
  return readVariable(engineUrl, env).map(({ host, port, password = common }) => {
    if (password !== '') return { host, port, password }
    throw new Error(
      `${enginePassword.variable} is not set, and an address in ${engineUrl.variable} has no password of its own`,
    )
  })
}
