import { expect, test } from 'vitest'
import { type ChoiceDeps, chooseEngine } from '../../../connector/commands/choose-engine.ts'
import { pendingJobs } from '../../../connector/commands/pending-jobs.ts'
import { fakeEslSession } from '../../support/engine/fake-esl-session.ts'
import { manualTime } from '../../support/processes/manual-time.ts'

test('an engine that has the phone is not chosen if its link is lost while another engine is asked', async () => {
  const time = manualTime()
  const anEngine = (name: string) => {
    const [commands, events] = [fakeEslSession(), fakeEslSession()]
    commands.up()
    events.up()
    return { engine: { name, commands, events }, jobs: pendingJobs(time.timers) }
  }
  const [lost, other] = [anEngine('lost'), anEngine('other')]
  const asks: ChoiceDeps['asks'] = {
    has: async (one) => {
      if (one === other) lost.engine.events.down()
      return one === lost
    },
  }

  const chosen = await chooseEngine(
    { ...time, engines: [lost, other], registry: { proven: () => [] }, asks },
    { domain: 'a.example.com', login: '1000' },
  )

  expect(chosen?.engine.name).toBe('other')
})
