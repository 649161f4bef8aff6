import { DomainError, invalidField } from '../errors.ts'
import type { SecretBox } from '../secrets.ts'
import type { Clock } from '../time.ts'
import { type GatewayInput, type GatewayJudges, type GatewayOwner, readGatewayInput } from './gateway-input.ts'
import type { GatewayStore } from './gateway-store.ts'
import { type Gateway, type GatewayName, gatewayPasswordPurpose } from './gateway.ts'
import { claimsOf } from './network-claims.ts'
import { maskedPassword } from './present-gateway.ts'

const maxGateways = 100

/** The inputs of a gateway's creation. */
export interface GatewayCreation {
  readonly gateways: Pick<GatewayStore, 'create'>
  readonly secretBox: Pick<SecretBox, 'seal'>
  readonly clock: Clock
  readonly judges: GatewayJudges
  readonly owner: GatewayOwner
  readonly isRoot: boolean
}

/**
 * Creates a gateway in a domain. Throws `invalid_field` and `missing_field` for violations of the rules,
 * `permission_denied` for confirmations by another than root, and `conflict` when the domain has a gateway of that
 * name, or {@link maxGateways}.
 */
export async function createGateway(
  { gateways, secretBox, clock, judges, owner, isRoot }: GatewayCreation,
  name: GatewayName,
  input: GatewayInput,
): Promise<Gateway> {
  const { password } = input
  if (password === maskedPassword) throw invalidField('password', 'no password is stored that could be kept')
  const content = readGatewayInput(input, password !== undefined, judges, owner)
  const now = clock.now()
  const claimed = { networks: content.networks, confirmed: input.confirmed_networks }
  const gateway: Gateway = {
    ...content,
    ...name,
    ...claimsOf(claimed, undefined, { isRoot, now }),
    ...(password !== undefined && { sealedPassword: await sealPassword(secretBox, name, password) }),
    createdAt: now,
    version: 1,
  }
  const made = await gateways.create(gateway, maxGateways)
  if (made === 'exists') throw new DomainError('conflict', `there is a gateway with the name "${name.name}" already`)
  if (made === 'full') throw new DomainError('conflict', `a domain has at most ${maxGateways} gateways`)
  return gateway
}

/** Seals the password of a gateway. */
export function sealPassword(secretBox: Pick<SecretBox, 'seal'>, name: GatewayName, password: string): Promise<string> {
  return secretBox.seal(new TextEncoder().encode(password), gatewayPasswordPurpose(name))
}
