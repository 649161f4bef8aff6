import { expect, test } from 'vitest'
import { type Channel, blankChannel } from '../../../connector/calls/channel.ts'
import { endGone } from '../../../connector/recovery/gone-channels.ts'
import { manualTime } from '../../support/processes/manual-time.ts'

const uuid = '11111111-2222-4333-8444-555555555555'

/** Ends a channel that a list does not show; `meanwhile` is what becomes of it while the engine is asked. */
async function endOf(answer: string, meanwhile: Partial<Channel> | 'gone' | 'over' = {}) {
  let channel: Channel | undefined = { ...blankChannel(uuid), core: 'core-1' }
  let isOver = false
  const made: string[] = []
  const kept = await endGone(
    {
      ...manualTime(),
      registry: { find: () => channel, hasSeen: () => false, unplace: () => {}, spellingOf: (id) => id },
      link: {
        api: async () => {
          isOver = meanwhile === 'over'
          const changes = typeof meanwhile === 'string' ? {} : meanwhile
          channel = meanwhile === 'gone' ? undefined : { ...blankChannel(uuid), core: 'core-1', ...changes }
          return answer
        },
      },
      make: ({ name }) => made.push(name),
      isOver: () => isOver,
    },
    [uuid],
  )
  return { made, kept }
}

const ends = ['CHANNEL_HANGUP_COMPLETE', 'CHANNEL_DESTROY']

test('a channel that its engine no longer has gets the end events that were missed', async () => {
  expect(await endOf('false\n')).toEqual({ made: ends, kept: [] })
})

test.each(['true\n', '-ERR no reply\n', ''])(
  'a channel of which the engine does not say that it is gone is asked about again: %j',
  async (answer) => {
    expect(await endOf(answer)).toEqual({ made: [], kept: [uuid] })
  },
)

test('a channel gets no synthetic end if it ends or has an event, or its engine restarts, while the engine is asked', async () => {
  expect(await endOf('false\n', { heard: true })).toEqual({ made: [], kept: [] })
  expect(await endOf('false\n', 'gone')).toEqual({ made: [], kept: [] })
  expect(await endOf('false\n', 'over')).toEqual({ made: [], kept: [] })
  expect(await endOf('true\n', 'over')).toEqual({ made: [], kept: [] })
})
