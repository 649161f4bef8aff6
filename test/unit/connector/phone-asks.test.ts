import { expect, test } from 'vitest'
import { chooseEngine } from '../../../connector/commands/choose-engine.ts'
import { phoneAsks } from '../../../connector/commands/phone-asks.ts'
import { ChannelRegistry } from '../../../connector/calls/channel-registry.ts'
import { domainNames } from '../../../connector/calls/domain-names.ts'
import { manualTime, settle } from '../../support/processes/manual-time.ts'
import { playedEngine } from '../../support/engine/played-engine.ts'

/** Two engines that are up and answer on demand, and a way to place calls. */
function twoEngines() {
  const time = manualTime()
  const domains = domainNames({ exists: async () => true }, time.clock)
  const registry = new ChannelRegistry(domains)
  const open = new Array<(reply: string) => void>()
  const engines = ['192.0.2.1:8021', '192.0.2.2:8021'].map((name) => {
    const engine = playedEngine(name, { time, registry, domains })
    engine.up()
    engine.engine.commands.api = () => new Promise((resolve) => open.push(resolve))
    return engine
  })
  const parts = { ...time, engines, registry, asks: phoneAsks({ ...time, engines }) }
  const choose = () => chooseEngine(parts, { domain: 'a.example.com', login: '1000' })
  return { time, open, choose }
}

test('an engine that does not answer is asked for at most three phones of a tenant, and each call waits a second at most', async () => {
  const { time, open, choose } = twoEngines()
  const chosen = new Array<string | undefined>()
  for (let call = 0; call < 50; call += 1) void choose().then((engine) => chosen.push(engine?.engine.name))
  await settle()
  expect(open).toHaveLength(6)

  await time.advance(1_000)
  for (let call = 0; call < 50; call += 1) void choose()
  await time.advance(1_000)

  expect(chosen).toEqual(Array(50).fill('192.0.2.1:8021'))
  expect(open).toHaveLength(6)
})

test('each answer about a phone makes room for one more question to the engine', async () => {
  const { open, choose } = twoEngines()
  for (let call = 0; call < 7; call += 1) void choose()
  await settle()

  open[0]?.('error/user_not_registered')
  await settle()

  expect(open).toHaveLength(7)
})

test('the phones of many simultaneous calls are all asked for when the engines answer', async () => {
  const { open, choose } = twoEngines()
  const calls = Array.from({ length: 50 }, () => choose())
  for (let turn = 0; turn < 50; turn += 1) {
    for (const [index, answer] of open.splice(0).entries()) answer(index % 2 === 0 ? 'sofia/internal/sip:1' : 'error/')
    await settle()
  }

  expect((await Promise.all(calls)).filter((engine) => engine !== undefined)).toHaveLength(50)
})
