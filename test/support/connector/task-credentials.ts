import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { planted } from '../invariants/secret-forms.ts'

/** Gives a task its credentials, as ECS does; each answer has another key. */
export interface TaskCredentials {
  /** Its present answer: a status, and when the key ends, epoch milliseconds. */
  answer: { status: number; endsAt: number }
  readonly url: string
  /** How often it was asked. */
  asked(): number
  /** When the key of a signed request ends, epoch milliseconds. */
  endOf(headers: { readonly authorization?: string | undefined }): number
  close(): Promise<void>
}

/** The secrets in the credentials, which no other process may see. */
export const taskSecret = planted('of a task')

/** Starts it on a free port. */
export async function openTaskCredentials(): Promise<TaskCredentials> {
  const ends = new Map<string, number>()
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    const key = `key-${asked}`
    const { status, endsAt } = task.answer
    ends.set(key, endsAt)
    const Expiration = new Date(endsAt).toISOString()
    response.writeHead(status)
    response.end(JSON.stringify({ AccessKeyId: key, SecretAccessKey: taskSecret, Token: 'token', Expiration }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const task: TaskCredentials = {
    answer: { status: 200, endsAt: 0 },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked: () => asked,
    endOf: ({ authorization = '' }) => ends.get(/Credential=([^/]+)/.exec(authorization)?.[1] ?? '') ?? 0,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return task
}
