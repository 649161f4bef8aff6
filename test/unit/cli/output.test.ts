import { expect, it } from 'vitest'
import { describeFailure } from '../../../cli/failure/describe-error.ts'
import { CliError } from '../../../cli/failure/exit.ts'
import { saveDownload } from '../../../cli/output/download.ts'
import { Output } from '../../../cli/output/output.ts'
import { CallplaneError } from '../../../client/index.ts'

function anOutput({ isTTY = false, json = false, colours = true } = {}) {
  const written = { stdout: '', stderr: '' }
  const stream = (name: 'stdout' | 'stderr') => ({
    isTTY,
    columns: 40,
    write: (text: string | Uint8Array, done?: () => void) => {
      written[name] += typeof text === 'string' ? text : Buffer.from(text).toString('latin1')
      done?.()
    },
  })
  return { written, out: new Output({ json, colours, stdout: stream('stdout'), stderr: stream('stderr') }) }
}

const rows = [
  { login: '1000', calls: 12 },
  { login: 'reception', calls: 3 },
]
const columns = { login: (row: (typeof rows)[number]) => row.login, calls: (row: (typeof rows)[number]) => row.calls }

it('a table has its columns below each other, numbers to the right', () => {
  const { out, written } = anOutput()

  out.list(rows, columns, 'none')

  expect(written.stdout).toBe('LOGIN      CALLS\n1000          12\nreception      3\n')
})

it('a list with JSON is an array of the records as they came, also when it is empty', () => {
  const { out, written } = anOutput({ json: true })

  out.list(rows, columns, 'none')
  out.list([], columns, 'none')

  expect(written).toEqual({ stdout: `${JSON.stringify(rows, null, 2)}\n[]\n`, stderr: '' })
})

it('an empty table prints no result, and says on standard error that there is none', () => {
  const { out, written } = anOutput()

  out.list([], columns, 'no accounts')

  expect(written).toEqual({ stdout: '', stderr: 'no accounts\n' })
})

it('control characters in text from other people cannot affect the terminal', () => {
  const { out, written } = anOutput({ isTTY: true, colours: false })

  out.list([{ login: '\u001b]0;title\u0007\u202eevil', calls: 1 }], columns, 'none')
  out.line('a\rb\nc')

  expect(written.stdout.split('\n').slice(1)).toEqual(['\\u001b]0;title\\u0007\\u202eevil      1', 'a\\u000db\\nc', ''])
})

it('titles are bold on a terminal, and plain in a pipe or without colours', () => {
  const bold = [{ isTTY: true }, { isTTY: false }, { isTTY: true, colours: false }].map((options) => {
    const { out, written } = anOutput(options)
    out.list(rows, columns, 'none')
    return written.stdout.includes('\u001b[1m')
  })

  expect(bold).toEqual([true, false, false])
})

it('progress is one line of a terminal, removed before a result', () => {
  const { out, written } = anOutput({ isTTY: true, colours: false })

  out.progress('1 of 2')
  out.progress('2 of 2')
  out.line('done')

  expect(written).toEqual({ stdout: 'done\n', stderr: '1 of 2\r\u001b[2K2 of 2\r\u001b[2K' })
})

it('progress is silent where standard error is no terminal', () => {
  const { out, written } = anOutput()

  out.progress('1 of 2')

  expect(written.stderr).toBe('')
})

it.each([
  ['permission_denied', 403, 1],
  ['token_expired', 401, 3],
  ['unreachable', 0, 4],
  ['timed_out', 0, 4],
  ['conflict', 409, 1],
] as const)('a call that failed with %s (%i) ends with %i', (code, status, exitCode) => {
  expect(describeFailure(new CallplaneError('x', { code, status })).exitCode).toBe(exitCode)
})

it('an error of the platform is printed with the refused fields, the wait and the request id', () => {
  const details = [{ field: 'login', problem: 'required' }]
  const fields = { code: 'rate_limited', status: 429, details, requestId: 'r1', retryAfterSeconds: 7 } as const

  expect(describeFailure(new CallplaneError('refused', fields))).toEqual({
    exitCode: 1,
    code: 'rate_limited',
    message: 'refused',
    details: ['login: required'],
    wayOut: 'repeat it in 7 s',
    requestId: 'r1',
  })
})

it('a failed step is printed with its own message, and the exit code, fields and request id of the refused request', () => {
  const details = [{ field: 'login', problem: 'required' }]
  const cause = new CallplaneError('refused', { code: 'token_expired', status: 401, details, requestId: 'r1' })

  expect(describeFailure(new Error('step 2 of 3', { cause }))).toMatchObject({
    exitCode: 3,
    code: 'token_expired',
    message: 'step 2 of 3',
    details: ['login: required'],
    requestId: 'r1',
  })
})

it('a failure with JSON is one object on standard error', () => {
  const { out, written } = anOutput({ json: true })

  out.failure(describeFailure(new CliError('no such file')))

  expect(JSON.parse(written.stderr)).toEqual({ error: { code: 'failed', message: 'no such file', details: [] } })
})

/** An escape of eight bits, a change of direction, a bell and a line of its own. */
const steering = 'a\u009b2Jb\u202ec\u061cd\u0007\ne\rf\r\ng\th\n'
const harmless = 'a\\u009b2Jb\\u202ec\\u061cd\\u0007\ne\\u000df\ng\th\n'

it('text that is printed as it is has nothing that acts on a terminal, and every byte in a pipe', () => {
  const [terminal, pipe] = [anOutput({ isTTY: true }), anOutput()]

  for (const { out } of [terminal, pipe]) out.raw(steering)

  expect([terminal.written.stdout, pipe.written.stdout]).toEqual([harmless, steering])
})

it('a download that is printed has nothing that acts on a terminal, wherever its parts are cut', async () => {
  const bytes = Buffer.from(steering)
  for (const isTTY of [true, false]) {
    const { out, written } = anOutput({ isTTY })
    const body = new ReadableStream({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })

    await saveDownload(new Response(body), '-', out)

    expect(Buffer.from(written.stdout, isTTY ? 'utf8' : 'latin1').toString()).toBe(
      isTTY ? harmless.replace('f\n', 'f\\u000d\n') : steering,
    )
  }
})

it('JSON has its acting characters escaped and keeps its value', () => {
  for (const isTTY of [true, false]) {
    const { out, written } = anOutput({ isTTY, json: true })

    out.json({ note: steering }, true)
    out.failure({ exitCode: 1, code: 'failed', message: steering, details: [] })

    expect(written.stdout + written.stderr).toMatch(/^[\n -~]*$/)
    expect(JSON.parse(written.stdout)).toEqual({ note: steering })
    expect(JSON.parse(written.stderr).error.message).toBe(steering)
  }
})

it('titles of columns cannot act on a terminal', () => {
  const { out, written } = anOutput({ isTTY: true, colours: false })

  out.list(rows, { 'a\u009b': () => 1 }, 'none')

  expect(written.stdout).toBe('A\\u009b\n      1\n      1\n')
})
