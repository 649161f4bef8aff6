/** Calls that a test dials into the dial plan of a real engine, and the applications that the engine executed for them. */
import { once } from 'node:events'
import { connect } from 'node:net'

/** A call that has ended. */
interface DialledCall {
  /** `<application> <data>` in their order, with the data as the engine had expanded it. */
  readonly executed: readonly string[]
  readonly cause: string
}

/** The dialling side. */
export interface DialledCalls {
  /**
   * Dials a number in the context of a domain from another number, without an account; resolves when the call has ended.
   * A call that is answered is ended after `stayMs`.
   */
  dial(domain: string, number: string, options?: { from?: string; stayMs?: number }): Promise<DialledCall>
  close(): Promise<void>
}

/** Opens an event socket that listens for executed applications and for ends of calls. */
export async function openDialledCalls(port: number): Promise<DialledCalls> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  const listening = Promise.withResolvers<void>()
  /** By the name that the caller shows, which is different for each call. */
  const calls = new Map<string, { uuid: string; executed: string[]; end: (cause: string) => void }>()
  let count = 0
  let text = ''

  const take = (block: string) => {
    const header = (name: string) => decodeURIComponent(new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '')
    const call = calls.get(header('Caller-Caller-ID-Name'))
    if (call === undefined || !/^loopback\/.*-b$/.test(header('Channel-Name'))) return
    const uuid = header('Unique-ID')
    if (call.uuid === '') call.uuid = uuid
    if (call.uuid !== uuid) return
    const name = header('Event-Name')
    if (name === 'CHANNEL_EXECUTE') call.executed.push(`${header('Application')} ${header('Application-Data')}`.trim())
    if (name === 'CHANNEL_HANGUP_COMPLETE') call.end(header('Hangup-Cause'))
  }
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
    if (text.includes('+OK event listener enabled')) listening.resolve()
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) take(block)
  })
  socket.write('auth ClueCon\n\nevent plain CHANNEL_EXECUTE CHANNEL_HANGUP_COMPLETE\n\n')
  await listening.promise

  return {
    dial: async (domain, number, { from = '700', stayMs = 300 } = {}) => {
      count += 1
      const name = `call-${count}`
      const { promise, resolve } = Promise.withResolvers<string>()
      const executed: string[] = []
      calls.set(name, { uuid: '', executed, end: resolve })
      const variables = `domain_name=${domain},origination_caller_id_number=${from},origination_caller_id_name=${name}`
      socket.write(`bgapi originate {${variables}}loopback/${number}/${domain}/XML &sleep(${stayMs})\n\n`)
      const cause = await promise
      calls.delete(name)
      return { executed, cause }
    },
    close: async () => {
      if (socket.destroyed) return
      socket.destroy()
      await once(socket, 'close')
    },
  }
}
