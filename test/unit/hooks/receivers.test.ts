/** The receivers of `examples`, as a reader runs them. */
import { spawnSync } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type RunningCommand, startCommand } from '../../support/platform/command.ts'

const key = randomBytes(32)
const secret = `whsec_${key.toString('base64')}`
const hasPython = spawnSync('python3', ['--version']).status === 0
if (!hasPython) console.warn('the receiver in Python is not run: python3 is not installed')

/** A delivery as the platform signs it. */
function delivery(
  id: string,
  body: string | Buffer,
  seconds: number | string = Math.floor(Date.now() / 1000),
  signer = key,
): RequestInit {
  const signature = createHmac('sha256', signer).update(`${id}.${seconds}.`).update(body).digest('base64')
  const headers = { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` }
  return { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) }
}

const receivers = [
  { language: 'Node', command: [process.execPath, 'examples/receiver.mjs'], isHere: true },
  { language: 'Python', command: ['python3', 'examples/receiver.py'], isHere: hasPython },
] as const

function start([program, file]: readonly [string, string], given: NodeJS.ProcessEnv): RunningCommand {
  const { SECRET: _none, ...env } = process.env
  const started = startCommand(program, [file], { cwd: process.cwd(), env: { ...env, ...given, PORT: '0' } })
  onTestFinished(async () => {
    started.interrupt()
    await started.ended()
  })
  return started
}

async function running(command: readonly [string, string]): Promise<{ program: RunningCommand; url: string }> {
  const program = start(command, { SECRET: secret })
  const [, url = ''] = await program.printed(/receiving on (http:\S+)/)
  return { program, url }
}

const status = async (url: string, init: RequestInit) => (await fetch(url, init)).status
const linesOf = (program: RunningCommand) => program.output().trim().split('\n').slice(1)

describe.each(receivers.filter(({ isHere }) => isHere))('the receiver in $language', ({ command, language }) => {
  it('it prints each genuine event once, and refuses what is forged, old or altered', async () => {
    const { program, url } = await running(command)
    const old = Math.floor(Date.now() / 1000) - 600

    const statuses = {
      first: await status(url, delivery('msg_1', '{"name":"first"}')),
      repeated: await status(url, delivery('msg_1', '{"name":"first"}')),
      forged: await status(url, delivery('msg_2', '{"name":"forged"}', undefined, randomBytes(32))),
      old: await status(url, delivery('msg_3', '{"name":"old"}', old)),
      endless: await status(url, delivery('msg_3', '{"name":"old"}', '9'.repeat(5000))),
      altered: await status(url, { ...delivery('msg_4', '{"name":"real"}'), body: '{"name":"altered"}' }),
      unsigned: await status(url, { method: 'POST', body: '{"name":"unsigned"}' }),
      last: await status(url, delivery('msg_6', '{"name":"last"}')),
    }
    await program.printed(/last/)

    const refused = { forged: 401, old: 401, endless: 401, altered: 401, unsigned: 401 }
    expect(statuses).toEqual({ first: 204, repeated: 204, ...refused, last: 204 })
    expect(linesOf(program)).toEqual(['{"name":"first"}', '{"name":"last"}'])
  })

  it('it shows characters that would act on a terminal, and bytes that are no text, without letting them act', async () => {
    const { program, url } = await running(command)
    const acting = '\u001b]0;mine\u0007\u009b2J\u202e\r'

    expect(await status(url, delivery('msg_1', `{"name":"${acting}"}`))).toBe(204)
    expect(await status(url, delivery('msg_2', Buffer.from([0xff, 0x1b, 0x9b])))).toBe(204)
    expect(await status(url, delivery('msg_3', '{"name":"last"}'))).toBe(204)
    await program.printed(/last/)

    expect(program.output().replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(linesOf(program)).toHaveLength(3)
    expect(linesOf(program)[0]).toMatch(/^\{"name":"\\(?:u00|x)1b\]0;mine/)
  })

  it('it answers 413 to a body that is too large, and then closes', async () => {
    const { url } = await running(command)
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')

    socket.write(
      `POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${'9'.repeat(language === 'Node' ? 8 : 5000)}\r\n\r\n`,
    )
    // The one in Python judges by the header alone.
    if (language === 'Node') socket.write('x'.repeat(1024 * 1024 + 1))

    expect(await text(socket)).toMatch(/^HTTP\/1\.[01] 413 /)
  })

  it.each([{}, { SECRET: '' }, { SECRET: 'whsec_' }, { SECRET: 'whsec_…' }])(
    'it does not start with the secret of %j, under which anybody could sign',
    async (given) => {
      const { status: code, output } = await start(command, given).ended()

      expect({ code, output }).toEqual({ code: 1, output: 'SECRET must be the secret of a hook: whsec_ and base64\n' })
    },
  )
})
