/** DynamoDB Local as a judge besides the embedded store: run in memory. */
import { setTimeout as delay } from 'node:timers/promises'
import { dynamoDbLocalWords } from '../../../packages/laptop/stores/dynamo-program/dynamodb-local.ts'
import { type RunningCommand, startCommand } from '../platform/command.ts'
import { freePort } from '../../../packages/laptop/processes/free-port.ts'

/** A running server. */
export interface DynamoDbLocal {
  readonly endpoint: string
  close(): Promise<void>
}

/** Starts an empty server on a free port of 127.0.0.1, in memory. Close it at the end of the test. */
export async function startDynamoDbLocal(folder: string): Promise<DynamoDbLocal> {
  const port = await freePort()
  const server = startCommand('java', dynamoDbLocalWords(folder, port), { cwd: folder })
  const endpoint = `http://127.0.0.1:${port}`
  await answers(server, endpoint)
  return {
    endpoint,
    async close() {
      server.child.kill('SIGTERM')
      await server.ended()
    },
  }
}

/** Asks until the server answers anything, 50 ms apart: it prints nothing when it begins to listen. */
async function answers(server: RunningCommand, endpoint: string): Promise<void> {
  let hasEnded = false
  void server.ended().finally(() => {
    hasEnded = true
  })
  for (;;) {
    const isUp = await fetch(endpoint).then(
      () => true,
      () => false,
    )
    if (isUp) return
    if (hasEnded) throw new Error(`DynamoDB Local ended at its start:\n${server.output()}`)
    await delay(50)
  }
}
