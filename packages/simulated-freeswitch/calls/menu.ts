import type { Engine } from './engine.ts'
import { fireChannel } from './channel-events.ts'
import type { Channel } from './channel.ts'
import { lengthOf, startPlayback, stopPlayback } from './playback.ts'

/**
 * `play_and_get_digits` (`events/ivr-digits` of the recordings): plays a prompt and collects keys until they match an
 * expression. The variable then holds them; after the last try it holds nothing.
 */
export async function playAndGetDigits(engine: Engine, channel: Channel, data: string): Promise<void> {
  const [
    ,
    most = '1',
    tries = '1',
    timeout = '1000',
    ends = '#',
    prompt = '',
    wrong = '',
    variable = '',
    accepted = '',
  ] = wordsOf(data)
  const isHere = () => channel.up && channel.transfer === undefined
  for (let left = Number(tries); left > 0 && isHere(); left -= 1) {
    channel.set({ [variable]: '' })
    await play(engine, channel, prompt, true)
    const keys = await collect(engine, channel, { most: Number(most), ends, timeoutMs: Number(timeout) })
    if (!isHere()) return
    if (new RegExp(accepted).test(keys)) return channel.set({ [variable]: keys, read_result: 'success' })
    if (keys !== '') channel.set({ [`${variable}_invalid`]: keys })
    await play(engine, channel, wrong, false)
  }
}

/** Data of an application, apart at its blanks; a word in quotes may hold some. */
function wordsOf(data: string): string[] {
  return [...data.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
}

async function play(engine: Engine, channel: Channel, path: string, endsAtKey: boolean): Promise<void> {
  const started = engine.timers.now()
  startPlayback(engine, channel, path)
  const isWhole = await waitForKey(engine, channel, lengthOf(path) ?? 0, endsAtKey)
  stopPlayback(engine, channel, path, { status: isWhole ? 'done' : 'break', ms: engine.timers.now() - started })
}

async function collect(
  engine: Engine,
  channel: Channel,
  { most, ends, timeoutMs }: { readonly most: number; readonly ends: string; readonly timeoutMs: number },
): Promise<string> {
  let keys = ''
  while (channel.up && keys.length < most) {
    if (await waitForKey(engine, channel, timeoutMs, true)) break
    const key = channel.keys.take()
    if (key === undefined) break
    const headers = [
      ['DTMF-Digit', key],
      ['DTMF-Duration', '2000'],
      ['DTMF-Source', 'APP'],
    ] as const
    fireChannel(engine, channel, 'DTMF', { after: headers })
    if (ends.includes(key)) break
    keys += key
  }
  return keys
}

/** Resolves with whether the time has passed: a key may end it, and so does whatever interrupts the channel. */
function waitForKey(engine: Engine, channel: Channel, ms: number, endsAtKey: boolean): Promise<boolean> {
  if (!channel.up || (endsAtKey && channel.keys.areWaiting)) return Promise.resolve(false)
  return new Promise((resolve) => {
    const finish = (hasPassed: boolean) => {
      for (const release of releases) release()
      resolve(hasPassed)
    }
    const releases = [
      engine.timers.after(ms, () => finish(true)),
      channel.onInterrupt(() => finish(false)),
      ...(endsAtKey ? [channel.keys.onKey(() => finish(false))] : []),
    ]
  })
}
