import { type Precondition, requireMatch } from '../requests/precondition.ts'
import { untilDone } from '../concurrency/retry.ts'
import { invalidField } from '../errors.ts'
import type { SecretBox } from '../secrets.ts'
import { sealPassword } from './create-gateway.ts'
import type { Clock } from '../time.ts'
import {
  type GatewayInput,
  type GatewayJudges,
  type GatewayOwner,
  type GatewayPatch,
  readGatewayInput,
} from './gateway-input.ts'
import type { GatewayStore } from './gateway-store.ts'
import type { Gateway, GatewayName } from './gateway.ts'
import { claimsOf } from './network-claims.ts'
import { maskedPassword, presentGateway } from './present-gateway.ts'
import { readGateway } from './read-gateway.ts'

/** The inputs of a gateway's change. */
export interface GatewayChange {
  readonly gateways: Pick<GatewayStore, 'read' | 'replace'>
  readonly secretBox: Pick<SecretBox, 'seal'>
  readonly clock: Clock
  readonly judges: GatewayJudges
  readonly owner: GatewayOwner
  readonly isRoot: boolean
  readonly precondition: Precondition
}

/**
 * Replaces a gateway: fields that the input leaves out get their defaults, and its password goes. A password of exactly
 * eight asterisks keeps the stored one. Throws `invalid_field` and `missing_field` for violations of the rules,
 * `not_found`, `permission_denied` for confirmations by another than root, and `precondition_failed` when the
 * precondition does not hold.
 */
export function replaceGateway(change: GatewayChange, name: GatewayName, input: GatewayInput): Promise<Gateway> {
  return changeGateway(change, name, input.password, () => input)
}

/** Changes fields of a gateway; the others stay. Throws as {@link replaceGateway} does. */
export function updateGateway(change: GatewayChange, name: GatewayName, patch: GatewayPatch): Promise<Gateway> {
  const password = patch.password ?? undefined
  return changeGateway(change, name, password, (stored) => {
    const { name: _name, domain: _domain, confirmed_networks: _confirmed, ...shown } = presentGateway(stored)
    const given = Object.entries(patch).filter(([, value]) => value !== undefined)
    const merged: Record<string, unknown> = { ...shown, ...Object.fromEntries(given) }
    const kept = Object.entries(merged).filter(([, value]) => value !== null)
    return Object.fromEntries(kept)
  })
}

async function changeGateway(
  { gateways, secretBox, clock, judges, owner, isRoot, precondition }: GatewayChange,
  name: GatewayName,
  password: string | undefined,
  inputFor: (stored: Gateway) => GatewayInput,
): Promise<Gateway> {
  const sealed =
    password === undefined || password === maskedPassword ? undefined : await sealPassword(secretBox, name, password)
  return untilDone(async () => {
    const stored = await readGateway(gateways, name)
    requireMatch(precondition, stored)
    const input = inputFor(stored)
    const sealedPassword = input.password === maskedPassword ? stored.sealedPassword : sealed
    if (input.password === maskedPassword && sealedPassword === undefined) {
      throw invalidField('password', 'no password is stored that could be kept')
    }
    const content = readGatewayInput(input, sealedPassword !== undefined, judges, owner)
    const { createdAt, version } = stored
    const claimed = { networks: content.networks, confirmed: input.confirmed_networks }
    const gateway: Gateway = {
      ...content,
      ...name,
      ...claimsOf(claimed, stored, { isRoot, now: clock.now() }),
      ...(sealedPassword !== undefined && { sealedPassword }),
      createdAt,
      version: version + 1,
    }
    return (await gateways.replace(gateway)) ? gateway : undefined
  })
}
