import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environment } from '../../../contracts/environment.ts'
import { buckets } from '../../../contracts/resources.ts'
import { errorAnswer } from '../../../packages/laptop/gate/backend.ts'
import { Gate, type Judgement } from '../../../packages/laptop/gate/gate.ts'
import { objectStore } from '../../../packages/laptop/stores/objects/object-store.ts'
import type { Statement } from '../../../packages/laptop/assembly/assembly.ts'
import { readStatements } from '../../../packages/laptop/assembly/read-roles.ts'
import { place } from '../platform/small-assembly.ts'

/** The embedded object store on a real socket, with every bucket of contracts/resources.ts and the gate in front. */
export interface ObjectServer {
  readonly endpoint: string
  /** The environment with which an adapter reaches it, in a role that may do everything. */
  readonly env: Readonly<Record<string, string>>
  /** The same with a role that may do just this. */
  envOf(...statements: readonly Statement[]): Readonly<Record<string, string>>
  /** Takes everything from the role of an environment. */
  withdraw(env: Readonly<Record<string, string>>): void
  readonly gate: Gate
  /** The judgements, in order. */
  readonly judgements: Judgement[]
  /** The files that hold the bytes of objects. */
  kept(): string[]
  /** The store again over the same files, as after a restart. */
  restart(): void
  close(): Promise<void>
}

const [everything] = readStatements({
  Statement: { Effect: 'Allow', Action: 's3:*', Resource: ['arn:aws:s3:::*', 'arn:aws:s3:::*/*'] },
})

/** Starts one over an empty folder. */
export async function startObjectServer(): Promise<ObjectServer> {
  const root = await mkdtemp(join(tmpdir(), 'objects-'))
  const gate = new Gate()
  const judgements: Judgement[] = []
  gate.observe((judgement) => judgements.push(judgement))
  const endpoint = await gate.open()
  let roles = 0
  const arns = new Map<string | undefined, string>()
  const envOf = (...statements: readonly Statement[]) => {
    const arn = `arn:aws:iam::000000000000:role/Role${(roles += 1)}`
    serve({ name: `Role${roles}`, arn, statements })
    const { accessKeyId, secretAccessKey, sessionToken } = gate.issue(arn)
    arns.set(accessKeyId, arn)
    return {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
      AWS_REGION: 'eu-central-1',
      [environment.s3Endpoint]: endpoint,
      ...Object.fromEntries(Object.values(buckets).map(({ variable }) => [variable, `physical-${variable}`])),
    }
  }
  const serve = (...added: Parameters<Gate['serve']>[1]) => {
    const none = () => Promise.resolve(errorAnswer('None', 'none'))
    const names = new Set(Object.values(buckets).map(({ variable }) => `physical-${variable}`))
    const s3 = objectStore(root, names)
    gate.serve(place, added, { dynamodb: none, sqs: none, secretsmanager: none, kms: none, s3 })
  }
  return {
    endpoint,
    gate,
    env: envOf(...(everything === undefined ? [] : [everything])),
    envOf,
    withdraw: (env) => serve({ name: 'withdrawn', arn: arns.get(env['AWS_ACCESS_KEY_ID']) ?? '', statements: [] }),
    judgements,
    kept: () => readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.bytes')),
    restart: () => serve(),
    async close() {
      await gate.close()
      await rm(root, { recursive: true })
    },
  }
}
