import { describe, expect, it } from 'vitest'
import { EslCommand } from '../../../packages/esl/command.ts'
import { EslCommandInvalid } from '../../../packages/esl/errors.ts'

const text = (command: EslCommand) => command.encode().toString()

describe('a command is written as the engine reads it', () => {
  it.each([
    [EslCommand.api('version'), 'api version\n\n'],
    [EslCommand.bgapi('status', 'job-1'), 'bgapi status\nJob-UUID: job-1\n\n'],
    [
      EslCommand.event(['CHANNEL_CREATE', 'CUSTOM', 'sofia::register']),
      'event json CHANNEL_CREATE CUSTOM sofia::register\n\n',
    ],
    [EslCommand.nixevent(['CUSTOM', 'sofia::register']), 'nixevent CUSTOM sofia::register\n\n'],
    [EslCommand.filter('Unique-ID', 'a b'), 'filter Unique-ID a b\n\n'],
    [EslCommand.auth('ClueCon'), 'auth ClueCon\n\n'],
    [EslCommand.auth(''), 'auth\n\n'],
    [EslCommand.exit(), 'exit\n\n'],
    [EslCommand.api('log info Jürgen 日本'), 'api log info Jürgen 日本\n\n'],
  ])('%#: %o', (command, bytes) => {
    expect(text(command)).toBe(bytes)
  })
})

describe('a command that would become another one is refused', () => {
  it.each(['\n', '\r', '\r\n', '\n\n', '\0'])('a command is refused with %o in any of its arguments', (end) => {
    const unsafe = `one${end}two`

    expect(() => EslCommand.api(unsafe)).toThrow(EslCommandInvalid)
    expect(() => EslCommand.bgapi(unsafe, 'job-1')).toThrow(EslCommandInvalid)
    expect(() => EslCommand.bgapi('status', unsafe)).toThrow(EslCommandInvalid)
    expect(() => EslCommand.event([unsafe])).toThrow(EslCommandInvalid)
    expect(() => EslCommand.nixevent([unsafe])).toThrow(EslCommandInvalid)
    expect(() => EslCommand.filter(unsafe, 'x')).toThrow(EslCommandInvalid)
    expect(() => EslCommand.filter('Unique-ID', unsafe)).toThrow(EslCommandInvalid)
    expect(() => EslCommand.auth(unsafe)).toThrow(EslCommandInvalid)
  })

  it.each(['reload mod_event_socket', 'echo please do not Reload MOD_EVENT_SOCKET', 'unload mod_event_socket'])(
    'a command is refused because the engine would disconnect all its clients: %s',
    (command) => {
      expect(() => EslCommand.api(command)).toThrow(EslCommandInvalid)
      expect(() => EslCommand.bgapi(command, 'job-1')).toThrow(EslCommandInvalid)
    },
  )

  it.each(['', ' status'])('a command is refused because the engine would run an empty one: %o', (command) => {
    expect(() => EslCommand.api(command)).toThrow(EslCommandInvalid)
  })

  it.each([[[]], [['']], [['A B']]])('a command is refused because its names are invalid: %o', (names) => {
    expect(() => EslCommand.event(names)).toThrow(EslCommandInvalid)
  })

  it('a command that is longer than any that an engine was seen to accept is refused', () => {
    expect(() => EslCommand.api('é'.repeat(99_998))).not.toThrow()
    expect(() => EslCommand.api('é'.repeat(99_999))).toThrow(EslCommandInvalid)
  })

  it('the refusal of a command does not contain its text, which may be a secret', () => {
    expect(() => EslCommand.auth('s3cret\n')).toThrow(expect.not.stringContaining('s3cret'))
    expect(() => EslCommand.auth('s3cret\n')).toThrow('auth holds a line break or a NUL')
  })
})
