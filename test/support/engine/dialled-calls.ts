/**
 * Calls that a test dials into the dial plan of a real engine, and the applications that the engine executed for them.
 */
import { once } from 'node:events'
import { connect } from 'node:net'

/** A call that has ended. */
interface DialledCall {
  /** `<application> <data>` in their order, with the data as the engine had expanded it. */
  readonly executed: readonly string[]
  readonly cause: string
}

/** What the kit executes at each answer, no application of a plan (`execute_on_answer` of its settings). */
const ofEveryAnswer = /^execute_extension replaced XML:\S+ replaced$/

/** A call whose events are being collected. */
interface WatchedCall {
  readonly executed: string[]
  /** What the caller presses at the menus to come. */
  readonly digits: string[]
  readonly end: (cause: string) => void
}

/** The dialling side. */
export interface DialledCalls {
  /**
   * Dials a number in the context of a domain from another number, without an account; resolves when the call has
   * ended. A call that is answered is ended after `stayMs`. `digits` are what the caller presses at each menu, in their
   * order.
   */
  dial(
    domain: string,
    number: string,
    options?: { from?: string; stayMs?: number; digits?: readonly string[] },
  ): Promise<DialledCall>
  /** Resolves with the next call that comes in at the profile of gateways for a number, when it has ended. */
  comesIn(number: string, digits?: readonly string[]): Promise<DialledCall>
  close(): Promise<void>
}

/** Opens an event socket that listens for executed applications and for ends of calls. */
export async function openDialledCalls(port: number): Promise<DialledCalls> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  const listening = Promise.withResolvers<void>()
  /**
   * Calls that have not begun, by the name that the caller shows, or by the number that a call from a gateway is for.
   */
  const expected = { named: new Map<string, WatchedCall>(), numbered: new Map<string, WatchedCall>() }
  const calls = new Map<string, WatchedCall>()
  let count = 0
  let text = ''

  const take = (block: string) => {
    const header = (name: string) => decodeURIComponent(new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '')
    const uuid = header('Unique-ID')
    const call = calls.get(uuid) ?? begun(header)
    if (call === undefined) return
    calls.set(uuid, call)
    const name = header('Event-Name')
    const executed = `${header('Application')} ${header('Application-Data')}`.trim()
    if (name === 'CHANNEL_EXECUTE' && !ofEveryAnswer.test(executed)) call.executed.push(executed)
    const pressed = header('Application') === 'play_and_get_digits' ? call.digits.shift() : undefined
    if (pressed !== undefined && pressed !== '') socket.write(`bgapi uuid_recv_dtmf ${uuid} ${pressed}\n\n`)
    if (name !== 'CHANNEL_HANGUP_COMPLETE') return
    calls.delete(uuid)
    call.end(header('Hangup-Cause'))
  }
  /** Takes the call that begins with an event out of the expected ones. */
  const begun = (header: (name: string) => string): WatchedCall | undefined => {
    const channel = header('Channel-Name')
    const isFromGateway = channel.startsWith('sofia/external/') && header('Call-Direction') === 'inbound'
    if (!isFromGateway && !/^loopback\/.*-b$/.test(channel)) return undefined
    const [waiting, key] = isFromGateway
      ? [expected.numbered, header('Caller-Destination-Number')]
      : [expected.named, header('Caller-Caller-ID-Name')]
    const call = waiting.get(key)
    waiting.delete(key)
    return call
  }
  const watch = async (
    waiting: Map<string, WatchedCall>,
    key: string,
    digits: readonly string[] = [],
  ): Promise<DialledCall> => {
    const { promise, resolve: end } = Promise.withResolvers<string>()
    const executed: string[] = []
    waiting.set(key, { executed, digits: [...digits], end })
    return { executed, cause: await promise }
  }
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8')
    if (text.includes('+OK event listener enabled')) listening.resolve()
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) take(block)
  })
  // The kit's engine has no such module, since a dial string could enter another context by it. Here it is the caller.
  socket.write('auth ClueCon\n\napi load mod_loopback\n\nevent plain CHANNEL_EXECUTE CHANNEL_HANGUP_COMPLETE\n\n')
  await listening.promise

  return {
    dial: async (domain, number, { from = '700', stayMs = 300, digits } = {}) => {
      count += 1
      const name = `call-${count}`
      const call = watch(expected.named, name, digits)
      const variables = `domain_name=${domain},origination_caller_id_number=${from},origination_caller_id_name=${name}`
      socket.write(`bgapi originate {${variables}}loopback/${number}/${domain}/XML &sleep(${stayMs})\n\n`)
      return call
    },
    comesIn: (number, digits) => watch(expected.numbered, number, digits),
    close: async () => {
      if (socket.destroyed) return
      socket.destroy()
      await once(socket, 'close')
    },
  }
}
