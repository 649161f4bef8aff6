import { createHmac } from 'node:crypto'
import { Agent } from 'undici'
import { hookClientLimits } from '../../adapters/http/guarded-hook-client.ts'
import type { PlatformEvent } from '../../core/events/platform-event.ts'

/**
 * An undici client and nothing around it: it sends an event as a delivery is sent, signed, within the same limits of
 * time and size. It throws for anything but a 200.
 */
export function bareClient(url: string): (id: string, event: PlatformEvent) => Promise<void> {
  const agent = new Agent({ connections: 100, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  const { origin, pathname } = new URL(url)
  const key = Buffer.alloc(32, 7)
  return async (id, event) => {
    const body = JSON.stringify({ id, action: event.name, data: event.fields })
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    const abort = new AbortController()
    const timer = setTimeout(() => abort.abort(), hookClientLimits.totalMs)
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'bare',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    }
    const request = { origin, path: pathname, method: 'POST', headers, body, signal: abort.signal } as const
    const { statusCode, body: answer } = await agent.request(request)
    let length = 0
    for await (const chunk of answer) {
      length += chunk.length
      if (length >= hookClientLimits.replyBytes) break
    }
    clearTimeout(timer)
    if (statusCode !== 200) throw new Error(`the receiver answered ${statusCode}`)
  }
}
