import { expect, it } from 'vitest'
import { guardTerminals } from '../../../local/processes/guard-terminals.ts'

function aStream(isTTY: boolean) {
  const written: unknown[] = []
  const taken: unknown[] = []
  const write = (chunk: string | Uint8Array, done?: () => void) => {
    written.push(chunk)
    taken.push(done)
    return true
  }
  return { written, taken, stream: { isTTY, write } }
}

it('a program that guards its terminals prints nothing that acts on them, and every byte into pipes', () => {
  const [terminal, pipe] = [aStream(true), aStream(false)]
  guardTerminals([terminal.stream, pipe.stream])
  const done = () => {}

  for (const { stream } of [terminal, pipe]) stream.write('mod_\u009b2J\u001b[2J\u202e is not loaded\n  in x:\n', done)

  expect(terminal.written).toEqual(['mod_\\u009b2J\\u001b[2J\\u202e is not loaded\n  in x:\n'])
  expect(pipe.written).toEqual(['mod_\u009b2J\u001b[2J\u202e is not loaded\n  in x:\n'])
  expect([terminal.taken, pipe.taken]).toEqual([[done], [done]])
})
