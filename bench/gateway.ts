import autocannon from 'autocannon'
import type { Figures } from './figures.ts'
import { type MeasuredServer, cpuDuring, openServer } from './measured-server.ts'

const requests = 20_000
const warmUpRequests = 5000
const file = new URL('gateway-server.ts', import.meta.url)
const rounds = 9

/**
 * CPU time a request of the local gateway, over that of a bare node:http server with a JSON boundary: the median of
 * nine rounds, each server in a process of its own, both driven the same way in one run.
 */
export async function benchGateway(): Promise<Figures> {
  const gateway = await openServer(file, ['gateway'])
  const bare = await openServer(file, ['bare'])
  try {
    const ratios: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const gatewayMs = await cpuOf(gateway)
      const bareMs = await cpuOf(bare)
      ratios.push(gatewayMs / bareMs)
    }
    return { gatewayCpuRatio: ratios.toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? Number.NaN }
  } finally {
    gateway.child.kill()
    bare.child.kill()
  }
}

async function cpuOf(server: MeasuredServer): Promise<number> {
  await load(server, warmUpRequests)
  return cpuDuring(server, () => load(server, requests))
}

async function load({ address }: MeasuredServer, amount: number): Promise<void> {
  const { non2xx, errors } = await autocannon({
    url: `http://${address}/api/v2/channels/8c1e2f7a-3f52-4a6b-9b65-0c7f7e0a3d11`,
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ state: 'hold' }),
    connections: 10,
    amount,
  })
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} refusals and ${errors} errors under load`)
}
