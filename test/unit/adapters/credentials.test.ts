import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { awsCredentials } from '../../../adapters/aws/credentials.ts'
import { movableClock } from '../../support/movable-clock.ts'
import { opened } from '../../support/opened.ts'

const HOUR_MS = 3_600_000

describe('the credentials of a process', () => {
  const task = opened(openTask)

  test('are those of its environment', async () => {
    const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'session' }

    expect(await awsCredentials({ env, clock: movableClock() })).toEqual({
      accessKeyId: 'id',
      secretAccessKey: 'secret',
      sessionToken: 'session',
    })
  })

  test('are those of its task where the environment has none', async () => {
    const source = task().fresh()

    expect(await awsCredentials(source)).toEqual({
      accessKeyId: 'key-1',
      secretAccessKey: 'secret',
      sessionToken: 'session',
    })
  })

  test('are asked for once while they last', async () => {
    const source = task().fresh()

    await awsCredentials(source)
    source.clock.move(HOUR_MS - 5 * 60_000 - 1)
    const later = await awsCredentials(source)

    expect(later.accessKeyId).toBe('key-1')
  })

  test('are asked for once by all who need them at one moment, at first and at each renewal', async () => {
    const source = task().fresh()
    const five = () => Promise.all(Array.from({ length: 5 }, () => awsCredentials(source)))

    await five()
    source.clock.move(HOUR_MS)
    const renewed = await five()

    expect(renewed.map(({ accessKeyId }) => accessKeyId)).toEqual(Array(5).fill('key-2'))
  })

  test('are renewed five minutes before they end', async () => {
    const source = task().fresh()
    await awsCredentials(source)

    source.clock.move(HOUR_MS - 5 * 60_000)
    const later = await awsCredentials(source)

    expect(later.accessKeyId).toBe('key-2')
  })

  test('serve to their end while they cannot be renewed, and no longer', async () => {
    const source = task().fresh()
    await awsCredentials(source)

    task().isDown = true
    source.clock.move(HOUR_MS - 1)
    const kept = await awsCredentials(source)
    source.clock.move(1)

    expect(kept.accessKeyId).toBe('key-1')
    await expect(awsCredentials(source)).rejects.toThrow('answered with 503')
  })

  test('are asked for again after a failure', async () => {
    const source = task().fresh()
    task().isDown = true
    await expect(awsCredentials(source)).rejects.toThrow()

    task().isDown = false

    expect((await awsCredentials(source)).secretAccessKey).toBe('secret')
  })

  test('are missed in a plain sentence where nothing names them', async () => {
    await expect(awsCredentials({ env: {}, clock: movableClock() })).rejects.toThrow('no credentials')
  })
})

/** What answers a container of ECS; each answer has a key of its own, which lasts an hour. */
async function openTask() {
  const task = { answers: 0, isDown: false, clock: movableClock() }
  const server = createServer((_request, response) => {
    if (task.isDown) return response.writeHead(503).end()
    task.answers += 1
    const Expiration = new Date(task.clock.now() + HOUR_MS).toISOString()
    const AccessKeyId = `key-${task.answers}`
    return response.end(JSON.stringify({ AccessKeyId, SecretAccessKey: 'secret', Token: 'session', Expiration }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  const AWS_CONTAINER_CREDENTIALS_FULL_URI = `http://127.0.0.1:${address.port}/`
  return Object.assign(task, {
    /** A new process of the task, before anything was asked. */
    fresh() {
      Object.assign(task, { answers: 0, isDown: false, clock: movableClock() })
      return { env: { AWS_CONTAINER_CREDENTIALS_FULL_URI }, clock: task.clock }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}
