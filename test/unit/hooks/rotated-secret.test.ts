import { Webhook } from 'standardwebhooks'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { aGuardedHarness, aSink, checkAftermath } from '../../support/hooks/guarded-harness.ts'
import { answering, type HookSink } from '../../support/hooks/hook-sink.ts'
import type { ManualTime } from '../../support/processes/manual-time.ts'
import { anEvent } from '../../support/records/records.ts'

const hour = 3_600_000

describe('F49 a secret that is rotated', () => {
  /** Which of some secrets the Standard Webhooks library accepts a request with, at the time of its attempt. */
  function accepting(sink: HookSink, time: ManualTime, secrets: readonly string[]): boolean[] {
    vi.useFakeTimers({ toFake: ['Date'], now: time.clock.now() })
    onTestFinished(() => void vi.useRealTimers())
    const { body = '', headers = {} } = sink.requests.at(-1) ?? {}
    const accepts = (secret: string) => {
      try {
        new Webhook(secret).verify(body, { ...headers })
        return true
      } catch {
        return false
      }
    }
    return secrets.map(accepts)
  }

  it('an old secret signs for 24 h after the new one; after that the new one signs alone', async () => {
    const sink = await aSink()
    const harness = aGuardedHarness()
    const hook = await harness.hook(sink.url())
    const signatures = () => sink.requests.at(-1)?.headers['webhook-signature']?.split(' ') ?? []

    await harness.deliver(anEvent())
    expect(signatures()).toHaveLength(1)
    const renewed = await harness.rotate(hook)
    const secrets = [hook.secret, renewed]
    expect(accepting(sink, harness.time, secrets)).toEqual([true, false])

    await harness.deliver(anEvent())
    expect(accepting(sink, harness.time, secrets)).toEqual([true, true])
    expect(signatures()).toHaveLength(2)
    await harness.time.advance(24 * hour - 1)
    await harness.deliver(anEvent())
    expect(accepting(sink, harness.time, secrets)).toEqual([true, true])
    const [first = ''] = signatures()
    await harness.time.advance(1)
    await harness.deliver(anEvent())
    expect(accepting(sink, harness.time, secrets)).toEqual([false, true])
    expect(signatures()).toHaveLength(1)

    const { body = '', headers = {} } = sink.requests.at(-2) ?? {}
    const at = new Date(Number(headers['webhook-timestamp']) * 1000)
    expect(new Webhook(renewed).sign(headers['webhook-id'] ?? '', at, body)).toBe(first)
    checkAftermath(harness, [sink], secrets)
  })

  it('a secret that is rotated between two attempts signs the second one as well, under the same id', async () => {
    const sink = await aSink(answering(503))
    const harness = aGuardedHarness()
    const hook = await harness.hook(sink.url())
    await harness.deliver(anEvent())

    const renewed = await harness.rotate(hook)
    await harness.time.advance(6_000)
    await harness.attempt()

    expect(accepting(sink, harness.time, [renewed, hook.secret])).toEqual([true, true])
    expect(new Set(sink.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    checkAftermath(harness, [sink], [hook.secret, renewed])
  })
})
