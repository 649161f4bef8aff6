import * as z from 'zod/mini'
import { type ContextValue, jsonOf, readBy } from './setting.ts'

/** The VPC of the engines, in the account and region of the deployment, as the deployment joins it. */
export interface EngineVpc {
  /** Such as `vpc-0a1b2c3d`. */
  readonly id: string
  readonly routeTables: readonly string[]
  /** IPv4 addresses of engines by host name, which the connector's network then resolves. */
  readonly addresses: Readonly<Record<string, string>>
}

const words = 'a JSON object with id, routeTables and, for host names, addresses'

/** Zones of Route 53 have names of two parts or more. */
const hostName = z
  .string()
  .check(z.maxLength(253), z.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/))

const form = z.strictObject({
  id: z.string().check(z.regex(/^vpc-[0-9a-f]{8,17}$/)),
  routeTables: z.array(z.string().check(z.regex(/^rtb-[0-9a-f]{8,17}$/))).check(z.minLength(1), z.maxLength(50)),
  addresses: z._default(z.record(hostName, z.ipv4()), {}),
})

/** The complaint about each field, read after the name of the setting. */
const complaints: Readonly<Record<string, string>> = {
  id: 'must have the id of a VPC as id, such as vpc-0a1b2c3d',
  routeTables: 'must have 1 to 50 ids of route tables as routeTables, such as rtb-0a1b2c3d',
  addresses: 'must have IPv4 addresses by host name as addresses, each name with a dot',
}

export const engineVpc = {
  context: 'engineVpc',
  rule: () => readBy(readEngineVpc, words),
  fallback: '{}',
  unset: 'none: joined by hand',
  meaning:
    "the engines' VPC, if it is in the account and region of the deployment, which then joins it: `id`, `routeTables` of the engines' subnets, and `addresses` of engines that `engineHost` names by host name",
} as const satisfies ContextValue

/** Reads the VPC; nothing for an empty object. Throws a sentence that is read after the name of the setting. */
function readEngineVpc(text: string): EngineVpc | undefined {
  const given = jsonOf(text)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Error(`must be ${words}`)
  if (Object.keys(given).length === 0) return undefined
  const { data, error } = z.safeParse(form, given)
  if (data === undefined) {
    throw new Error(
      complaints[String(error?.issues[0]?.path[0])] ?? 'must have no fields but id, routeTables and addresses',
    )
  }
  if (new Set(data.routeTables).size < data.routeTables.length) throw new Error('must have each route table once')
  return data
}
