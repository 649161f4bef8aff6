import type { Cdr } from '../../core/cdr/cdr.ts'

/** The tenants of the benchmark; the first has a tenth of all CDRs, the others share the rest. */
export const tenants = 50

/** The days before {@link endOfDays} over which the CDRs are spread. */
export const days = 90
export const dayMs = 86_400_000
/** The moment of the last CDR. */
export const endOfDays = Date.UTC(2026, 5, 1)

/** The domain of a tenant. */
export function tenantName(tenant: number): string {
  return `tenant-${tenant}.example.com`
}

const causes = ['NORMAL_CLEARING', 'USER_BUSY', 'NO_ANSWER', 'ORIGINATOR_CANCEL', 'CALL_REJECTED']

/** CDRs as real calls leave them, the same at each run: every `index` has its own. */
export function generatedCdr(index: number): Cdr {
  const draw = drawing(index + 1)
  const tenant = draw() < 0.1 ? 0 : 1 + Math.floor(draw() * (tenants - 1))
  const domain = tenantName(tenant)
  const extension = String(1000 + Math.floor(draw() * 200))
  const duration = Math.floor(draw() ** 3 * 1800)
  const cause = Math.floor(draw() ** 2 * causes.length)
  return {
    uuid: uuid(draw),
    domain_name: domain,
    leg: draw() < 0.6 ? 'a' : 'b',
    created_time: endOfDays - Math.floor(draw() * days * dayMs),
    direction: draw() < 0.5 ? 'inbound' : 'outbound',
    presence_id: `${extension}@${domain}`,
    caller_id_name: `Extension ${extension}`,
    caller_id_number: extension,
    destination_number: `+49${Math.floor(draw() * 1e9)}`,
    extension,
    network_addr: `10.${tenant}.0.${Math.floor(draw() * 255)}`,
    source: 'mod_sofia',
    gateway: `carrier-${Math.floor(draw() * 4)}`,
    duration,
    billsec: Math.floor(duration * 0.9),
    holdsec: 0,
    talksec: Math.floor(duration * 0.9),
    hangup_cause: causes[cause],
    hangup_cause_q850: 16 + cause,
    quality_percentage_audio: Math.floor(draw() * 1000) / 10,
    variables: variables(draw),
  }
}

/** Thirty variables of some 40 characters: what is left of a leg's after those of the service. */
function variables(draw: () => number): Record<string, string> {
  const names = Array.from({ length: 30 }, (_, index) => `sip_variable_of_channel_${index}`)
  return Object.fromEntries(names.map((name) => [name, `value-${Math.floor(draw() * 1e12)}`]))
}

function uuid(draw: () => number): string {
  const hex = Array.from({ length: 4 }, () =>
    Math.floor(draw() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5')
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
export function drawing(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
