import { describe, expect, test } from 'vitest'
import { CommandReader, type SocketCommand } from '../../../packages/simulated-freeswitch/socket/command-reader.ts'

function commandsIn(pieces: readonly string[]): SocketCommand[] {
  const reader = new CommandReader()
  const commands: SocketCommand[] = []
  for (const piece of pieces) {
    reader.feed(piece)
    for (let command = reader.next(); command !== undefined; command = reader.next()) commands.push(command)
  }
  return commands
}

const transcript = [
  '\n\r\nauth ClueCon\r\n\r\n',
  'sendevent CUSTOM\nEvent-Subclass: a::b\nContent-Length: 7\nnocolon\n\nx\n\nCo\n\n',
  'api echo one\rtwo: three\n\n\n\n',
  'bgapi status\nJob-UUID:  spaced \n\n',
].join('')

describe('commands', () => {
  const whole = commandsIn([transcript])

  test('a command of the event socket consists of lines, headers and a body', () => {
    expect(whole).toEqual([
      { line: 'auth ClueCon', headers: [] },
      {
        line: 'sendevent CUSTOM',
        headers: [
          ['Event-Subclass', 'a::b'],
          ['Content-Length', '7'],
        ],
        body: 'x\n\nCo\n\n',
      },
      { line: 'api echo one', headers: [['two', 'three']] },
      { line: 'bgapi status', headers: [['Job-UUID', 'spaced ']] },
    ])
  })

  test('commands are read the same wherever their bytes are cut in two', () => {
    for (let cut = 1; cut < transcript.length; cut++) {
      expect(commandsIn([transcript.slice(0, cut), transcript.slice(cut)]), `cut at ${cut}`).toEqual(whole)
    }
  })

  test('commands are read the same if they arrive byte by byte', () => {
    expect(commandsIn(transcript.split(''))).toEqual(whole)
  })

  test('a command without an end is refused at a limit', () => {
    const reader = new CommandReader()
    const megabyte = 'x'.repeat(1024 * 1024)

    expect(() => {
      for (let fed = 0; fed < 20; fed++) reader.feed(megabyte)
    }).toThrow('command too long')
  })
})
