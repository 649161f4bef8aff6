import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { inspect } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { ServiceRefusal, callService } from '../../../adapters/aws/call-service.ts'
import { credentialProvider } from '../../../adapters/aws/client-options.ts'
import { dynamoClient } from '../../../adapters/aws/dynamodb-client.ts'
import { defaultProvider } from '../../../adapters/aws/no-chain.ts'
import { s3Client } from '../../../adapters/aws/s3-client.ts'
import { sqsClient } from '../../../adapters/aws/sqs-client.ts'
import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import { getItem, putItem } from '../../../adapters/dynamodb/client.ts'
import { signLink } from '../../../adapters/s3/signed-links.ts'
import { systemClock } from '../../../adapters/system/system-time.ts'
import { withTimeLimit } from '../../../adapters/time-limit.ts'
import { environment } from '../../../contracts/environment.ts'
import { buckets } from '../../../contracts/resources.ts'
import { movableClock } from '../../support/processes/movable-clock.ts'
import { opened } from '../../support/processes/opened.ts'

describe('a call to a service of the cloud', () => {
  const service = opened(openService)

  test.each(['InvalidSignatureException', 'RequestTimeTooSkewed'])(
    'a call refused with %s is signed again with the time of the service',
    async (code) => {
      const { answer, read, requests } = service()
      const hourAhead = new Date(Date.now() + 3_600_000)
      answer((request, response) => {
        response.setHeader('date', hourAhead.toUTCString())
        const isRight = signedAt(request) > Date.now() + 3_000_000
        respond(response, isRight ? 200 : 400, isRight ? {} : { __type: code, message: 'Signature expired' })
      })

      expect(await read()).toBeUndefined()

      expect(requests()).toHaveLength(2)
      expect(await read()).toBeUndefined()
      expect(requests()).toHaveLength(3)
    },
  )

  test('a link is signed with the time of the services once the store has answered', async () => {
    const { answer, read, sign } = service()
    const hourAhead = new Date(Date.now() + 3_600_000)
    answer((_request, response) => {
      response.setHeader('date', hourAhead.toUTCString())
      respond(response, 200, {})
    })
    await read()

    const { url, expires } = await sign()

    const { searchParams } = new URL(url)
    expect(timeOf(searchParams.get('X-Amz-Date'))).toBeGreaterThan(Date.now() + 3_000_000)
    expect(expires).toBe(timeOf(searchParams.get('X-Amz-Date')) + 300_000)
  })

  test('the error of a refused call has the code of the refusal, which distinguishes it from a missing response', async () => {
    const { answer, read } = service()
    answer((_request, response) => respond(response, 400, { __type: 'x#AccessDeniedException', message: 'no' }))

    const refused: unknown = await read().catch((error: unknown) => error)

    expect(refused).toMatchObject({ name: 'DomainError', code: 'internal_error' })
    expect(refused).toHaveProperty('cause.code', 'AccessDeniedException')
    expect(refused).toHaveProperty('cause', expect.any(ServiceRefusal))
  })

  test('a connection that ends without a response does not count as a refusal', async () => {
    const { answer, read, requests } = service()
    answer((request) => void request.socket.destroy())

    const silent: unknown = await read().catch((error: unknown) => error)

    expect(silent).toMatchObject({ name: 'DomainError', code: 'store_unavailable', retryAfterSeconds: 2 })
    expect(silent).not.toHaveProperty('cause', expect.any(ServiceRefusal))
    expect(requests()).toHaveLength(3)
  })

  test('an error page of a proxy counts as a temporary refusal', async () => {
    const { answer, read } = service()
    answer((_request, response) => void response.writeHead(502).end('<html>bad gateway</html>'))

    await expect(read()).rejects.toMatchObject({ code: 'store_unavailable', cause: { status: 502 } })
  })

  test.each([
    [429, 'Unknown', 'store_unavailable'],
    [503, 'Unknown', 'store_unavailable'],
    [400, 'ThrottlingException', 'store_unavailable'],
    [400, 'Unknown', 'internal_error'],
  ])('a refusal with status %i and code %s is %s', async (httpStatusCode, name, code) => {
    const refusal = Object.assign(new Error('no'), { name, $metadata: { httpStatusCode } })

    await expect(callService('the store', () => Promise.reject(refusal))).rejects.toMatchObject({ code })
  })

  test('an unreadable successful response does not count as a refusal, since the request may have taken effect', async () => {
    const { answer, read } = service()
    answer((_request, response) => void response.writeHead(200).end('{"Item":'))

    const unreadable: unknown = await read().catch((error: unknown) => error)

    expect(unreadable).toMatchObject({ name: 'DomainError', code: 'store_unavailable' })
    expect(unreadable).not.toHaveProperty('cause', expect.any(ServiceRefusal))
  })

  test('a value that cannot be stored is an internal error, and no request is sent', async () => {
    const { answer, write, requests } = service()
    answer((_request, response) => respond(response, 200, {}))

    await expect(write({ at: new Date(0) })).rejects.toMatchObject({ name: 'DomainError', code: 'internal_error' })
    expect(requests()).toEqual([])
  })

  test('the text of a refusal contains neither the stored record nor a long message', async () => {
    const { answer, write } = service()
    const Item = { pk: { S: 'the stored record' } }
    const message = 'm'.repeat(5_000)
    answer((_request, response) => respond(response, 400, { __type: 'ConditionalCheckFailedException', message, Item }))

    const refused: unknown = await write({}).catch((error: unknown) => error)

    const printed = inspect(refused, { depth: 9, showHidden: true })
    expect(printed).toContain('ConditionalCheckFailedException (400) mmm')
    expect(printed).not.toContain('the stored record')
    expect(refused).toHaveProperty('cause.message.length', 'ConditionalCheckFailedException (400) '.length + 300)
  })

  test('a call under way is aborted when the time of its request is over', async () => {
    const { answer, read } = service()
    const abandoned = Promise.withResolvers<void>()
    // The time passes when the call has arrived, however busy the machine is.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    answer((request) => {
      request.socket.once('close', () => abandoned.resolve())
      vi.advanceTimersByTime(1_000)
    })

    try {
      const reading = withTimeLimit({ until: systemClock.now() + 1_000, clock: systemClock }, () => read())

      await expect(reading).rejects.toMatchObject({ name: 'DomainError', code: 'deadline_exceeded' })
      await abandoned.promise
    } finally {
      vi.useRealTimers()
    }
  })

  test('nothing is sent after the time of the request is over', async () => {
    const { answer, read, requests } = service()
    answer((_request, response) => respond(response, 200, {}))
    const clock = movableClock()

    // The clock says so, and the timer of the limit has not fired: this process was busy.
    const reading = withTimeLimit({ until: clock.now() + 60_000, clock }, async () => {
      await read()
      clock.move(60_000)
      await read()
    })

    await expect(reading).rejects.toMatchObject({ name: 'DomainError', code: 'deadline_exceeded' })
    expect(requests()).toHaveLength(1)
  })
})

describe('the options of clients', () => {
  test.each([
    ['the store', dynamoClient],
    ['the queues', sqsClient],
    ['the objects', s3Client],
  ] as const)(
    'the client of %s takes no preference of signatures from files or variables',
    async (_title, clientOf) => {
      vi.stubEnv('AWS_AUTH_SCHEME_PREFERENCE', 'httpBearerAuth')

      try {
        expect(await clientOf({ env: environmentOf(1) }).config.authSchemePreference()).toEqual([])
      } finally {
        vi.unstubAllEnvs()
      }
    },
  )
})

describe('credentials', () => {
  test('the credentials of the environment are used as they are', async () => {
    const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: 'session' }

    expect(await credentialProvider({ env })()).toEqual({
      accessKeyId: 'id',
      secretAccessKey: 'secret',
      sessionToken: 'session',
    })
  })

  test('a task without credentials in its environment asks its container for them', async () => {
    const server = createServer((_request, response) =>
      respond(response, 200, {
        AccessKeyId: 'task',
        SecretAccessKey: 'secret',
        Token: 'session',
        Expiration: new Date(Date.now() + 3_600_000).toISOString(),
      }),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `http://127.0.0.1:${port}/credentials`)

    try {
      expect(await credentialProvider({ env: {} })()).toMatchObject({ accessKeyId: 'task', sessionToken: 'session' })
    } finally {
      vi.unstubAllEnvs()
      server.closeAllConnections()
      server.close()
    }
  })

  test('a call that fails for lack of credentials does not count as refused by its service', async () => {
    const { AWS_ACCESS_KEY_ID: _id, AWS_SECRET_ACCESS_KEY: _secret, ...env } = environmentOf(1)
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', 'http://127.0.0.1:1/credentials')

    try {
      const reading = getItem({ env, clock: systemClock, random: systemRandomness }, 'table', { pk: 'a', sk: 'b' })
      await expect(reading).rejects.toMatchObject({ name: 'DomainError', code: 'store_unavailable' })
    } finally {
      vi.unstubAllEnvs()
    }
  })

  test('a function without credentials is refused with a sentence that names the variables', async () => {
    await expect(defaultProvider()()).rejects.toThrow('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set')
  })
})

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A service that answers as each test says. Each test gets a client of its own, since clients keep their clock. */
async function openService() {
  let answer: Answer = () => {}
  let requests: string[] = []
  let env = environmentOf(undefined)
  const server = createServer((request, response) => {
    requests.push(String(request.headers['x-amz-target']))
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    answer: (next: Answer) => {
      answer = next
      requests = []
      env = environmentOf(port)
    },
    requests: () => requests,
    read: () => getItem({ env, clock: systemClock, random: systemRandomness }, 'table', { pk: 'a', sk: 'b' }),
    write: (item: object) =>
      putItem(
        { env, clock: systemClock, random: systemRandomness },
        { TableName: 'table', Item: { pk: 'a', sk: 'b', ...item } },
      ),
    sign: () =>
      signLink({ env, clock: systemClock }, 'recordings', {
        key: 'a.wav',
        contentType: 'audio/wav',
        disposition: 'attachment',
        seconds: 300,
      }),
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function environmentOf(port: number | undefined): Readonly<Record<string, string>> {
  return {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'eu-central-1',
    [environment.dynamodbEndpoint]: `http://127.0.0.1:${port}`,
    [buckets.recordings.variable]: 'recordings',
  }
}

function respond(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body))
}

/** The time that a request was signed at, as epoch milliseconds. */
function signedAt({ headers }: IncomingMessage): number {
  return timeOf(String(headers['x-amz-date']))
}

/** The time of a signature, as epoch milliseconds. */
function timeOf(text: string | null): number {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '') ?? []
  const [, year, month, day, hour, minute, second] = parts.map(Number)
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second)
}
