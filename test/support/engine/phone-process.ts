/**
 * A phone of the tests in a process of its own, for a network namespace that the tests are not in. It takes orders from
 * its parent, one after another; `hear` is answered when the tone was heard.
 */
import type { SoundCall } from './sound-call.ts'
import { openSoundPhone } from './sound-phone.ts'

/** What a phone is told to do. */
export type PhoneOrder =
  | { readonly do: 'register' | 'answer' | 'hangUp' }
  | { readonly do: 'call'; readonly number: string }
  | { readonly do: 'sing' | 'hear'; readonly hz: number }

const phone = await openSoundPhone(JSON.parse(process.argv[2] ?? ''))
let call: SoundCall | undefined

async function obey(order: PhoneOrder): Promise<string> {
  if (order.do === 'register') return String(await phone.register())
  if (order.do === 'call') call = await phone.call(order.number)
  if (order.do === 'answer') {
    call = await phone.ringing()
    call.answer()
  }
  if (call === undefined) throw new Error('no call')
  if (order.do === 'sing') call.sing(order.hz)
  if (order.do === 'hear') await call.hear(25, order.hz)
  if (order.do === 'hangUp') await call.hangUp()
  return 'done'
}

process.on('message', (order: PhoneOrder) => {
  obey(order).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.(`failed: ${error instanceof Error ? error.message : ''}`),
  )
})
process.on('disconnect', () => process.exit())
process.send?.('ready')
