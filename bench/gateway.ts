import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'
import * as z from 'zod/mini'
import type { Figures } from './figures.ts'

const requests = 20_000
const warmUpRequests = 5000
const rounds = 9

/**
 * CPU time a request of the local gateway, over that of a bare node:http server with a JSON boundary: the median of
 * nine rounds, each server in a process of its own, both driven the same way in one run.
 */
export async function benchGateway(): Promise<Figures> {
  const gateway = await openServer('gateway')
  const bare = await openServer('bare')
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

interface Server {
  readonly child: ChildProcess
  readonly address: string
}

async function openServer(kind: 'gateway' | 'bare'): Promise<Server> {
  const child = fork(new URL('gateway-server.ts', import.meta.url), [kind])
  const [message] = await once(child, 'message')
  return { child, address: z.parse(z.object({ address: z.string() }), message).address }
}

/** CPU milliseconds that the server spends on the measured requests. */
async function cpuOf(server: Server): Promise<number> {
  await load(server, warmUpRequests)
  const before = await cpuTime(server)
  await load(server, requests)
  return (await cpuTime(server)) - before
}

async function cpuTime({ child }: Server): Promise<number> {
  child.send('cpu')
  const [message] = await once(child, 'message')
  return z.parse(z.object({ cpuMs: z.number() }), message).cpuMs
}

async function load({ address }: Server, amount: number): Promise<void> {
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
