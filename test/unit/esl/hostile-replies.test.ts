/** Replies that no engine should send, sample by sample: each answers its own command or none. */
import { describe, expect, it } from 'vitest'
import { EslCommandTimeout } from '../../../packages/esl/errors.ts'
import { badInputs } from '../../support/records/bad-inputs.ts'
import { type Cases, eventFrame, frame, played } from '../../support/engine/engine-frames.ts'
import { caught, eslBench } from '../../support/engine/esl-bench.ts'

const { serving, session } = eslBench()
const samples = badInputs('engine-bytes')

describe('replies', () => {
  const accepted = (id: string) => `Content-Type: command/reply\nReply-Text: +OK Job-UUID: ${id}\nJob-UUID: ${id}\n\n`
  const done = (id: string) => eventFrame({ 'Event-Name': 'BACKGROUND_JOB', 'Job-UUID': id, _body: '+OK' })
  const cases: Cases = {
    'text/disconnect-notice': async () => {
      await serving(async (peer) => {
        await peer.ready()
        peer.send(frame('text/disconnect-notice', 'Disconnected, goodbye.\n'))
      })
      expect(await session().isDown()).toMatchObject({ reason: 'disconnected' })
    },
    'two replies to one command': () =>
      answers(['one', 'two'], { one: result('1', '1'), two: result('2') }, ['1', '2'], { strayReplies: 1 }),
    'no reply for 10 s': async () => {
      await serving((peer) => peer.ready())
      const { link, ready, time } = session()
      await ready()
      const asked = caught(link.api('status'))
      await time.advance(10_000)
      expect(await asked).toBeInstanceOf(EslCommandTimeout)
      expect(link.state.kind).toBe('ready')
    },
    'Reply-Text with a bare percent sign': () =>
      answers(['one'], { one: 'Content-Type: command/reply\nReply-Text: -ERR [100%]\n\n' }, ['-ERR [100%]']),
    'Reply-Text with a line feed': () =>
      answers(['one'], { one: 'Content-Type: command/reply\nReply-Text: -ERR a\nb\n\n' }, ['-ERR a\nb']),
    'BACKGROUND_JOB for an unknown job': () => jobs([accepted('j1'), done('j9')], ['j9']),
    'BACKGROUND_JOB twice': () => jobs([accepted('j1'), done('j1'), done('j1')], ['j1', 'j1']),
    'BACKGROUND_JOB before the reply to its command': () => jobs([done('j1'), accepted('j1')], ['j1']),
    'api/response of +OK with trailing spaces': () => answers(['one'], { one: result('+OK  \n') }, ['+OK  \n']),
    '-USAGE text': () => answers(['one'], { one: result('-USAGE: <uuid>\n') }, ['-USAGE: <uuid>\n']),
    'log/data between a command and its reply': () =>
      answers(['one'], { one: Buffer.concat([frame('log/data', '100% \u260e\n\nx'), Buffer.from(result('1'))]) }, [
        '1',
      ]),
  }
  it.each(samples('replies'))('%s', (sample) => played(cases, sample))

  async function answers(
    commands: readonly string[],
    replies: Readonly<Record<string, string | Buffer>>,
    expected: readonly string[],
    counts: object = { strayReplies: 0 },
  ): Promise<void> {
    await serving(async (peer) => {
      await peer.ready()
      for (const command of commands) {
        await peer.expect(`api ${command}`)
        peer.send(replies[command] ?? '')
      }
    })
    const { link, ready } = session()
    await ready()
    expect(await Promise.all(commands.map((command) => link.api(command)))).toEqual(expected)
    expect(link.counts).toMatchObject({ lateReplies: 0, ...counts })
  }

  async function jobs(sent: readonly (string | Buffer)[], ids: readonly string[]): Promise<void> {
    await serving(async (peer) => {
      await peer.ready('BACKGROUND_JOB')
      await peer.expect('bgapi status\nJob-UUID: j1')
      for (const bytes of sent) peer.send(bytes)
    })
    const { link, ready, until, events } = session({ subscribe: ['BACKGROUND_JOB'] })
    await ready()
    await link.bgapi('status', 'j1')
    await until(() => events.length === ids.length)
    expect(events.map((each) => [each.header('Job-UUID'), each.body])).toEqual(ids.map((id) => [id, '+OK']))
    expect(link.counts.strayReplies).toBe(0)
  }

  function result(...bodies: readonly string[]): string {
    return bodies.map((body) => `Content-Type: api/response\nContent-Length: ${body.length}\n\n${body}`).join('')
  }
})
