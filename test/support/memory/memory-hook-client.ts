import type { HookClient, HookReply, HookRequest } from '../../../core/hooks/request/hook-client.ts'

/** A {@link HookClient} that reaches nothing: it keeps the requests and gives the answers that a test chose. */
export interface MemoryHookClient extends HookClient {
  /** Every request, in order. */
  readonly sent: HookRequest[]
  /** The answer of `send`: an empty 200 until replaced. */
  answer: (request: HookRequest) => HookReply | Promise<HookReply>
}

/** A receiver of hooks in memory. */
export function memoryHookClient(): MemoryHookClient {
  const client: MemoryHookClient = {
    sent: [],
    answer: () => ({ outcome: 'answered', status: 200, headers: {}, body: '', durationMs: 0 }),
    async send(request) {
      client.sent.push(request)
      return client.answer(request)
    },
  }
  return client
}
