import { describe, expect, it } from 'vitest'
import {
  EslCommandInvalid,
  EslCommandNotSent,
  EslCommandRejected,
  EslCommandTimeout,
} from '../../../packages/esl/errors.ts'
import { caught, eslBench } from '../../support/engine/esl-bench.ts'

const { serving, session } = eslBench()

describe('a reply reaches its own command', () => {
  it('a reply reaches its own command when many are given at once, each sent after the previous one was answered', async () => {
    await serving(async (peer) => {
      await peer.ready()
      for (const name of ['a', 'b', 'c', 'd']) {
        await peer.expect(`api echo ${name}`)
        peer.event({ 'Event-Name': 'HEARTBEAT' })
        peer.result(name)
      }
    })
    const { link, ready } = session()
    await ready()

    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => link.api(`echo ${name}`)))

    expect(answers).toEqual(['a', 'b', 'c', 'd'])
    expect(link.counts.events).toBe(4)
  })

  it('a reply reaches its own command when jobs are in flight together', async () => {
    await serving(async (peer) => {
      await peer.ready()
      for (const id of ['j1', 'j2', 'j3']) await peer.expect(`bgapi status\nJob-UUID: ${id}`)
      peer.reply('+OK Job-UUID: j3', 'Job-UUID: j3\n')
      peer.reply('+OK Job-UUID: j2', 'Job-UUID: j2\n')
      await peer.expect('bgapi status\nJob-UUID: j4')
      peer.reply('-ERR permission denied')
    })
    const { link, ready, time } = session()
    await ready()

    const [lost, ...jobs] = ['j1', 'j2', 'j3'].map((id) => caught(link.bgapi('status', id)))

    expect(await Promise.all(jobs)).toEqual([undefined, undefined])
    await time.advance(10_000)
    expect(await lost).toBeInstanceOf(EslCommandTimeout)
    expect(await caught(link.bgapi('status', 'j4'))).toBeInstanceOf(EslCommandRejected)
  })

  it('a refused job among several ends as unknown, since the refusal does not name its job', async () => {
    await serving(async (peer) => {
      await peer.ready()
      for (const id of ['j1', 'j2', 'j3']) await peer.expect(`bgapi status\nJob-UUID: ${id}`)
      peer.reply('+OK Job-UUID: j1', 'Job-UUID: j1\n')
      peer.reply('-ERR permission denied')
      peer.reply('+OK Job-UUID: j3', 'Job-UUID: j3\n')
      await peer.expect('api status')
      peer.result('fine')
    })
    const { link, ready, time } = session()
    await ready()

    const [first, refused, last] = ['j1', 'j2', 'j3'].map((id) => caught(link.bgapi('status', id)))

    expect(await Promise.all([first, last])).toEqual([undefined, undefined])
    expect(await link.api('status')).toBe('fine')
    await time.advance(10_000)
    expect(await refused).toBeInstanceOf(EslCommandTimeout)
    expect(link.counts.strayReplies).toBe(1)
  })

  it('a reply reaches its own command when the reply to an earlier job never comes', async () => {
    await serving(async (peer) => {
      await peer.ready()
      await peer.expect('bgapi status\nJob-UUID: j1')
      await peer.expect('bgapi status\nJob-UUID: j2')
      peer.reply('+OK Job-UUID: j2', 'Job-UUID: j2\n')
    })
    const { link, ready, time } = session()
    await ready()

    const lost = caught(link.bgapi('status', 'j1'))
    await link.bgapi('status', 'j2')
    await time.advance(10_000)

    expect(await lost).toBeInstanceOf(EslCommandTimeout)
  })

  it('a reply reaches its own command when the reply to the command before it comes late', async () => {
    const late = Promise.withResolvers<void>()
    await serving(async (peer) => {
      await peer.ready()
      await peer.expect('api slow')
      await late.promise
      peer.result('slow')
      await peer.expect('api quick')
      peer.result('quick')
    })
    const { link, ready, time } = session()
    await ready()

    const slow = caught(link.api('slow'))
    await time.advance(10_000)
    expect(await slow).toBeInstanceOf(EslCommandTimeout)

    const quick = link.api('quick')
    late.resolve()

    expect(await quick).toBe('quick')
    expect(link.counts).toMatchObject({ lateReplies: 1, strayReplies: 0 })
  })

  it('a reply reaches its own command when the one before it is lost and a job between them was answered by its id', async () => {
    await serving(async (peer) => {
      await peer.ready()
      await peer.expect('api swallowed')
      await peer.expect('bgapi status\nJob-UUID: j1')
      peer.reply('+OK Job-UUID: j1', 'Job-UUID: j1\n')
      await peer.expect('api next')
      peer.result('next')
    })
    const { link, ready, time } = session()
    await ready()

    const swallowed = caught(link.api('swallowed'))
    await time.advance(10_000)

    expect(await swallowed).toBeInstanceOf(EslCommandTimeout)
    await link.bgapi('status', 'j1')
    expect(await link.api('next')).toBe('next')
  })

  it('a reply reaches its own command when the previous one was answered twice', async () => {
    await serving(async (peer) => {
      await peer.ready()
      await peer.expect('api first')
      peer.result('first')
      peer.result('first')
      await peer.expect('api second')
      peer.result('second')
    })
    const { link, ready, until } = session()
    await ready()

    expect(await link.api('first')).toBe('first')
    await until(() => link.counts.strayReplies === 1)

    expect(await link.api('second')).toBe('second')
  })

  it('a reply reaches its command unchanged, including spaces and -ERR, in any kind of frame', async () => {
    await serving(async (peer) => {
      await peer.ready()
      await peer.expect('api one')
      peer.result('+OK  \n')
      await peer.expect('api two')
      peer.result('-USAGE: <uuid>\n')
      await peer.expect('api three')
      peer.reply('-ERR permission denied')
    })
    const { link, ready } = session()
    await ready()

    expect(await link.api('one')).toBe('+OK  \n')
    expect(await link.api('two')).toBe('-USAGE: <uuid>\n')
    expect(await link.api('three')).toBe('-ERR permission denied')
  })

  it('a reply reaches its own command when the engine reads slowly and long commands fill the connection', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `j${index}`)
    const filled = Promise.withResolvers<void>()
    await serving(async (peer) => {
      await peer.ready()
      await peer.expect('api full')
      peer.pause()
      peer.result('')
      await filled.promise
      peer.resume()
      for (const id of ids) {
        await peer.expect(`bgapi echo ${'x'.repeat(190_000)}\nJob-UUID: ${id}`)
        peer.reply(`+OK Job-UUID: ${id}`, `Job-UUID: ${id}\n`)
      }
    })
    const { link, ready } = session()
    await ready()
    await link.api('full')

    const jobs = ids.map((id) => link.bgapi(`echo ${'x'.repeat(190_000)}`, id))
    filled.resolve()

    expect(await Promise.all(jobs)).toHaveLength(40)
  })
})

describe('a command is not sent', () => {
  it('a command is not sent when it holds a line break', async () => {
    await serving(async (peer) => {
      await peer.ready()
      await peer.expect('api status')
      peer.result('fine')
    })
    const { link, ready } = session()
    await ready()

    await expect(link.api('echo x\n\napi hupall')).rejects.toThrow(EslCommandInvalid)
    await expect(link.bgapi('status\r\nJob-UUID: x', 'j1')).rejects.toThrow(EslCommandInvalid)
    await expect(link.resubscribe(['HEARTBEAT\n'])).rejects.toThrow(EslCommandInvalid)
    expect(await link.api('status')).toBe('fine')
  })

  it('a command is not sent while the session is not ready', async () => {
    await serving(() => {})
    const { link } = session()

    await expect(link.api('status')).rejects.toThrow(EslCommandNotSent)
    await expect(link.bgapi('status', 'j1')).rejects.toThrow(EslCommandNotSent)
  })

  it('a command is not sent when it expires in the queue', async () => {
    await serving(async (peer) => {
      await peer.ready()
      await peer.expect('api slow')
    })
    const { link, ready, time } = session()
    await ready()

    const first = caught(link.api('slow'))
    const second = caught(link.api('second'))
    await time.advance(10_000)

    expect(await first).toBeInstanceOf(EslCommandTimeout)
    expect(await second).toBeInstanceOf(EslCommandNotSent)
  })

  it('a command is not sent when the queue is full', async () => {
    await serving(async (peer) => {
      await peer.ready()
      await peer.expect('api one')
    })
    const { link, ready, close } = session({ limits: { maxWaitingCommands: 1 } })
    await ready()

    const pending = [caught(link.api('one')), caught(link.api('two'))]

    await expect(link.api('three')).rejects.toThrow('too many commands wait')
    await close()
    await Promise.all(pending)
  })
})
