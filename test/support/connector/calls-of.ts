import type { Ports } from '../../../contracts/ports.ts'

/** Returns the uuids of the stored legs that make an account busy, in order. */
export async function callsOf(
  { knownCalls }: { readonly knownCalls: Pick<Ports['knownCalls'], 'listOf'> },
  domain: string,
  login: string,
): Promise<string[]> {
  const legs = await knownCalls.listOf(domain)
  return legs
    .filter(({ state, presenceId }) => state === 'up' && presenceId.toLowerCase() === `${login}@${domain}`)
    .map(({ uuid }) => uuid)
    .toSorted()
}
