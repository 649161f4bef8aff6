import { describe, expect, it } from 'vitest'
import { EslCommand } from '../../../packages/esl/command.ts'
import {
  EslCommandFateUnknown,
  EslCommandNotSent,
  EslCommandTimeout,
  EslConnectionLost,
} from '../../../packages/esl/errors.ts'
import { defaultEslLimits } from '../../../packages/esl/options.ts'
import { ReplyQueue } from '../../../packages/esl/reply-queue.ts'
import { framesOf } from '../../support/engine/engine-recordings.ts'
import { manualTime } from '../../support/processes/manual-time.ts'

const job = (id: string) => EslCommand.bgapi('status', id)

describe('a connection that cannot take more', () => {
  it('a connection that is full gets the next command only when it has room, in order', () => {
    const { queue, written, room } = aQueue()
    room.left = 1

    for (const id of ['j1', 'j2', 'j3']) queue.add(job(id), () => {})
    expect(written).toEqual(['j1'])

    room.left = 2
    queue.flush()
    expect(written).toEqual(['j1', 'j2', 'j3'])
  })

  it('a connection that ends while it is full never sends the remaining commands', () => {
    const { queue, room, settled, settle } = aQueue()
    room.left = 1
    for (const id of ['j1', 'j2']) queue.add(job(id), settle(id))

    queue.end(new EslConnectionLost('closed', 'it was closed'))

    expect(settled).toEqual({ j1: expect.any(EslCommandFateUnknown), j2: expect.any(EslCommandNotSent) })
  })
})

describe('commands in flight', () => {
  it('at most 64 jobs are in flight', () => {
    const { queue, written } = aQueue()

    for (let id = 0; id < 100; id += 1) queue.add(job(`j${id}`), () => {})
    expect(written).toHaveLength(64)

    queue.take(reply('Reply-Text: +OK Job-UUID: j0\nJob-UUID: j0'))
    queue.proceed()
    expect(written).toHaveLength(65)
  })

  it('a command whose reply names no command is never in flight together with another command', () => {
    const { queue, written } = aQueue()

    queue.add(EslCommand.api('status'), () => {})
    queue.add(EslCommand.event(['ALL']), () => {})
    queue.add(job('j1'), () => {})

    expect(written).toEqual(['api'])
  })

  it('commands in flight are settled once, whatever arrives afterwards', async () => {
    const { queue, settled, settle, time, counts } = aQueue()
    let times = 0
    queue.add(EslCommand.api('status'), (answer) => {
      times += 1
      settle('status')(answer)
    })

    queue.take(result('fine'))
    queue.take(result('again'))
    await time.advance(60_000)
    queue.end(new EslConnectionLost('closed', 'it was closed'))

    expect([times, settled]).toEqual([1, { status: 'fine' }])
    expect(counts).toEqual({ lateReplies: 0, strayReplies: 1 })
  })
})

describe('a command after a job whose reply is lost', () => {
  it('a command after a job without a reply is sent once another job, sent as a probe after two seconds, was answered', async () => {
    const { queue, written, settled, settle, time } = aQueue()
    queue.add(job('lost'), settle('lost'))
    queue.add(EslCommand.api('uuid_dump'), settle('dump'))
    await time.advance(1_999)
    expect(written).toEqual(['lost'])

    await time.advance(1)
    expect(written).toEqual(['lost', 'asked-1'])
    queue.take(reply('Reply-Text: +OK Job-UUID: asked-1\nJob-UUID: asked-1'))
    queue.proceed()

    expect(written).toEqual(['lost', 'asked-1', 'api'])
    queue.take(result('found'))
    expect(settled).toEqual({ dump: 'found' })
    await time.advance(60_000)
    expect(settled).toEqual({ dump: 'found', lost: expect.any(EslCommandTimeout) })
  })

  it('a late reply to a job is still assigned to that job and not to the command after it', async () => {
    const { queue, settled, settle, time, counts } = aQueue()
    queue.add(job('late'), settle('late'))
    queue.add(job('later'), settle('later'))
    queue.add(EslCommand.api('uuid_dump'), settle('dump'))
    await time.advance(2_000)
    queue.take(reply('Reply-Text: +OK\nJob-UUID: asked-1'))

    queue.take(reply('Reply-Text: +OK late\nJob-UUID: late'))
    await time.advance(8_000)
    queue.take(reply('Reply-Text: +OK later\nJob-UUID: later'))

    expect(settled).toEqual({ late: '+OK late', later: expect.any(EslCommandTimeout), dump: expect.anything() })
    expect(counts).toEqual({ lateReplies: 1, strayReplies: 0 })
  })

  it('no probe is sent for a reply in time, and none twice for a reply that never comes', async () => {
    const inTime = aQueue()
    inTime.queue.add(job('slow'), () => {})
    inTime.queue.add(EslCommand.api('uuid_dump'), () => {})
    await inTime.time.advance(1_000)
    inTime.queue.take(reply('Reply-Text: +OK Job-UUID: slow\nJob-UUID: slow'))
    inTime.queue.proceed()
    await inTime.time.advance(5_000)
    expect(inTime.written).toEqual(['slow', 'api'])

    const never = aQueue()
    never.queue.add(job('lost'), () => {})
    never.queue.add(EslCommand.api('uuid_dump'), () => {})
    await never.time.advance(9_000)
    expect(never.written).toEqual(['lost', 'asked-1'])
  })
})

describe('a reply that comes twice', () => {
  it('a duplicate reply does not answer the command that waited after its own', () => {
    const { queue, settled, settle, counts } = aQueue()
    for (const name of ['one', 'two']) queue.add(EslCommand.api(name), settle(name))

    queue.take(result('first'))
    queue.take(result('first'))
    queue.proceed()
    queue.take(result('second'))

    expect(settled).toEqual({ one: 'first', two: 'second' })
    expect(counts).toEqual({ lateReplies: 0, strayReplies: 1 })
  })
})

describe('a refusal, which names no command', () => {
  const refusal = () => reply('Reply-Text: -ERR permission denied')
  const accepted = (id: string) => reply(`Reply-Text: +OK Job-UUID: ${id}\nJob-UUID: ${id}`)

  it('a refusal that names no command refuses the job if it is the only one in flight', () => {
    const { queue, settled, settle, counts } = aQueue()
    queue.add(job('j1'), settle('j1'))

    queue.take(refusal())

    expect([settled, counts.strayReplies]).toEqual([{ j1: '-ERR permission denied' }, 0])
  })

  it('a duplicate refusal refuses no job that was accepted', async () => {
    const { queue, settled, settle, time } = aQueue()
    for (const id of ['refused', 'accepted']) queue.add(job(id), settle(id))

    queue.take(refusal())
    queue.take(refusal())
    queue.take(accepted('accepted'))
    await time.advance(10_000)

    expect(settled).toEqual({ refused: expect.any(EslCommandTimeout), accepted: '+OK Job-UUID: accepted' })
  })

  it('a refusal does not refuse the job before its own, whose acceptance was lost', async () => {
    const { queue, settled, settle, time, counts } = aQueue()
    for (const id of ['lost', 'refused']) queue.add(job(id), settle(id))

    queue.take(refusal())
    await time.advance(10_000)

    expect(settled).toEqual({ lost: expect.any(EslCommandTimeout), refused: expect.any(EslCommandTimeout) })
    expect(counts.strayReplies).toBe(1)
  })

  it('a refusal of a job does not answer the command before it', () => {
    const { queue, settled, settle } = aQueue()
    queue.add(EslCommand.api('uuid_exists'), settle('question'))
    queue.add(job('j1'), settle('j1'))

    queue.take(refusal())
    queue.take(accepted('j1'))

    expect(settled).toEqual({ question: expect.any(EslCommandFateUnknown), j1: '+OK Job-UUID: j1' })
  })

  it('other commands are still sent after every job was refused', () => {
    const { queue, written } = aQueue()
    for (const id of ['j1', 'j2', 'j3']) queue.add(job(id), () => {})
    queue.add(EslCommand.api('status'), () => {})

    for (let each = 0; each < 3; each += 1) queue.take(refusal())
    queue.proceed()

    expect(written).toEqual(['j1', 'j2', 'j3', 'api'])
  })
})

describe('an unrequested reply', () => {
  it.each([
    ['a result without a command', [], result('x')],
    ['a result where a job was started', [job('j1')], result('x')],
    ['the reply to an unknown job', [job('j1')], reply('Reply-Text: +OK Job-UUID: j9\nJob-UUID: j9')],
    ['an acceptance where a result is awaited', [EslCommand.api('status')], reply('Reply-Text: +OK bye')],
  ])('an unrequested reply is counted and settles nothing: %s', (_, commands, frame) => {
    const { queue, settled, settle, counts } = aQueue()
    for (const [index, command] of commands.entries()) queue.add(command, settle(`${index}`))

    queue.take(frame)

    expect(settled).toEqual({})
    expect(counts).toEqual({ lateReplies: 0, strayReplies: 1 })
  })
})

function aQueue() {
  const time = manualTime()
  const written: string[] = []
  const room = { left: Number.POSITIVE_INFINITY }
  const counts = { lateReplies: 0, strayReplies: 0 }
  const settled: Record<string, unknown> = {}
  const queue = new ReplyQueue({
    write: (bytes) => {
      written.push(/Job-UUID: (\S+)/.exec(bytes.toString())?.[1] ?? bytes.toString().split(' ', 1)[0] ?? '')
      room.left -= 1
      return room.left > 0
    },
    onOverdue: () => {},
    timers: time.timers,
    limits: defaultEslLimits,
    counts,
  })
  const settle = (name: string) => (answer: unknown) => {
    settled[name] = answer
  }
  return { queue, written, room, counts, settled, settle, time }
}

function reply(headers: string) {
  return oneFrame(`Content-Type: command/reply\n${headers}\n\n`)
}

function result(body: string) {
  return oneFrame(`Content-Type: api/response\nContent-Length: ${body.length}\n\n${body}`)
}

function oneFrame(text: string) {
  const [frame] = framesOf(Buffer.from(text))
  if (frame === undefined) throw new Error('the text is no frame')
  return frame
}
