import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { EslCommandNotSent } from '@callplane/esl'
import { aCommandMessage, anOriginate } from '../../support/connector/command-message.ts'
import { aRunner } from '../../support/connector/runner-harness.ts'
import { fateUnknown } from '../../support/engine/fake-esl-session.ts'
import { harnessDomain, harnessEngine, pipelineHarness, ofCall } from '../../support/connector/pipeline-harness.ts'

/** A connector that has placed a call without any event of the engine, and whose links were lost and are up again. */
async function afterALostLink({ isAnswered }: { readonly isAnswered: boolean }) {
  const harness = await pipelineHarness()
  const pipeline = await harness.connector()
  const uuid = randomUUID()
  await pipeline.up()
  await harness.time.advance(60_000)
  pipeline.registry.place(uuid, harnessDomain, `1000@${harnessDomain}`, harnessEngine)
  if (isAnswered) pipeline.registry.answered(uuid)
  await pipeline.down()
  await harness.time.advance(2_000)
  return { ...harness, pipeline, uuid, up: () => pipeline.up() }
}

test('a placed call that its engine has answered and no longer has after a gap is forgotten without a synthetic end', async () => {
  const { time, pipeline, uuid, eventsOf, up } = await afterALostLink({ isAnswered: true })

  await up()
  await time.advance(60_000)

  expect(pipeline.registry.find(uuid)).toBeUndefined()
  expect(eventsOf(uuid)).toEqual([])
})

test('a placed call that its engine confirms stays, even if it is not listed', async () => {
  const { time, pipeline, uuid, up } = await afterALostLink({ isAnswered: true })
  pipeline.existing = [{ uuid }]

  await up()
  await time.advance(60_000)

  expect(pipeline.registry.find(uuid)?.domain).toBe(harnessDomain)
})

test('a placed call without an answer stays, even if no engine has it yet', async () => {
  const { time, pipeline, uuid, up } = await afterALostLink({ isAnswered: false })

  await up()
  await time.advance(60_000)

  expect(pipeline.registry.find(uuid)?.domain).toBe(harnessDomain)
})

test('a reported call that is gone gets its end, whether its command was answered or not', async () => {
  const { time, pipeline, uuid, eventsOf, up } = await afterALostLink({ isAnswered: false })
  await up()
  await pipeline.emit({ name: 'CHANNEL_CREATE', uuid, headers: ofCall(time.clock.now()) })
  await pipeline.down()
  await time.advance(2_000)

  await up()
  await time.advance(60_000)

  expect(eventsOf(uuid)).toEqual(['CHANNEL_CREATE', 'CHANNEL_HANGUP_COMPLETE made', 'CHANNEL_DESTROY made'])
})

test('a call that may have reached the engine before its link broke belongs to its domain for a minute only', async () => {
  const { link, run, registry, time } = await aRunner()
  const [maybe, never] = [anOriginate(), anOriginate()]
  link.onJob = (line) =>
    Promise.reject(line.includes(maybe.uuid) ? fateUnknown() : new EslCommandNotSent('the link is down'))

  await run(aCommandMessage({ command: maybe }))
  await run(aCommandMessage({ command: never }))
  expect([registry.domainOf(maybe.uuid), registry.domainOf(never.uuid)]).toEqual(['a.example.com', undefined])
  await time.advance(60_000)

  expect(registry.domainOf(maybe.uuid)).toBeUndefined()
})
