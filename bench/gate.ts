import autocannon from 'autocannon'
import * as z from 'zod/mini'
import { signHeaders } from '../packages/laptop/signature/sign.ts'
import type { Figures } from './figures.ts'
import { type MeasuredServer, cpuDuring, openServer } from './measured-server.ts'

const requests = 10_000
const warmUpRequests = 5000
const file = new URL('gate-server.ts', import.meta.url)
const rounds = 7

const credentialOf = z.object({
  credential: z.object({ accessKeyId: z.string(), secretAccessKey: z.string(), sessionToken: z.string() }),
})

const body = JSON.stringify({
  TableName: 'Accounts',
  Key: { pk: { S: 'domain#a.example.com' }, sk: { S: 'account#1000' } },
  ConsistentRead: true,
})

/**
 * CPU time of a call of the store in the gate, in milliseconds and over that of a bare server that forwards the same
 * call: the medians of seven rounds, each server in a process of its own, both driven the same way in one run.
 */
export async function benchGate(): Promise<Figures> {
  const store = await openServer(file, ['store'])
  const gate = await openServer(file, ['gate', store.address])
  const bare = await openServer(file, ['bare', store.address])
  try {
    const rows: { readonly gateMs: number; readonly bareMs: number }[] = []
    for (let round = 0; round < rounds; round += 1) {
      // A signature holds for five minutes.
      const headers = await signedHeaders(gate)
      rows.push({ gateMs: await cpuOf(gate, headers), bareMs: await cpuOf(bare, headers) })
    }
    return {
      gateCpuMs: median(rows.map(({ gateMs }) => gateMs)),
      gateCpuRatio: median(rows.map(({ gateMs, bareMs }) => gateMs / bareMs)),
    }
  } finally {
    for (const { child } of [gate, bare, store]) child.kill()
  }
}

function signedHeaders({ address, message }: MeasuredServer): Promise<Record<string, string>> {
  const url = new URL(`http://${address}/`)
  return signHeaders(
    { method: 'POST', url, service: 'dynamodb', region: 'us-east-1', body },
    { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.GetItem' },
    z.parse(credentialOf, message).credential,
  )
}

async function cpuOf(server: MeasuredServer, headers: Record<string, string>): Promise<number> {
  await load(server, headers, warmUpRequests)
  return (await cpuDuring(server, () => load(server, headers, requests))) / requests
}

async function load({ address }: MeasuredServer, headers: Record<string, string>, amount: number): Promise<void> {
  const { non2xx, errors } = await autocannon({
    url: `http://${address}/`,
    method: 'POST',
    headers,
    body,
    connections: 8,
    amount,
  })
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} refusals and ${errors} errors under load`)
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
