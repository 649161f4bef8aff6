import { expect, it } from 'vitest'
import type { LoginThrottle } from '../../../core/auth/login-throttle.ts'
import { judgingMs, patience, throttleLogin } from '../../../core/auth/throttle-login.ts'

const now = Date.UTC(2026, 0, 15)

const attempt = {
  user: { login: 'alice', domain: 'a.example.com' },
  rootVersion: undefined,
  sourceAddress: '192.0.2.1',
  now,
}

/** A throttle whose every counter is full of attempts under way until somebody has waited for it for four seconds. */
function busyThrottle(begunAt = now + 60_000) {
  const waited = new Map<string, number>()
  let asked = ''
  let waitedMs = 0
  const throttle: LoginThrottle = {
    begin: async (key) => {
      asked = key
      if ((waited.get(key) ?? 0) >= 4000) return { attempt: { key, slot: '1', id: '1' } }
      return { failures: [{ at: begunAt, isUnderWay: true }] }
    },
    pause: async (ms) => {
      waited.set(asked, (waited.get(asked) ?? 0) + ms)
      waitedMs += ms
    },
    settle: async () => {},
    release: async () => {},
    clear: async () => {},
    isKnown: async () => false,
    remember: async () => {},
  }
  return { throttle, waitedMs: () => waitedMs }
}

it('a login waits for simultaneous attempts no longer than its limit, however many of its counters are full', async () => {
  const { throttle, waitedMs } = busyThrottle()

  await expect(throttleLogin(throttle, attempt, async () => 'judged')).rejects.toMatchObject({ code: 'locked_out' })

  expect(waitedMs()).toBeLessThan(patience.totalMs + patience.longestMs)
})

it('a login does not wait for attempts that began so long ago that their processes must have ended', async () => {
  const { throttle, waitedMs } = busyThrottle(now - judgingMs)

  await expect(throttleLogin(throttle, attempt, async () => 'judged')).rejects.toMatchObject({ code: 'locked_out' })

  expect(waitedMs()).toBe(0)
})
