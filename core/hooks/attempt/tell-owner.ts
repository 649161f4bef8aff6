import { mailServerOf, senderOf } from '../../email/write-email-settings.ts'
import { DomainError } from '../../errors.ts'
import { serviceEvent } from '../../events/service-event.ts'
import type { SecretBox } from '../../secrets.ts'
import type { EmailSettingsStore } from '../../email/email-settings-store.ts'
import type { MailSender } from '../../email/mail-sender.ts'
import type { EventSink } from '../../events/event-sink.ts'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'
import type { Clock } from '../../time.ts'
import { reminderOf } from './disable-hook.ts'

/** The ports of {@link tellOwner}. */
export interface OwnerNotice {
  readonly hooks: Pick<HookStore, 'endNotice' | 'renewNotice'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send'>
  readonly events: Pick<EventSink, 'publish'>
  readonly emailSettings: Pick<EmailSettingsStore, 'read'>
  readonly secretBox: Pick<SecretBox, 'open'>
  readonly mail: Pick<MailSender, 'send'>
  readonly clock: Clock
}

/** Seconds until a mail that could not be sent is tried again; after the last it is given up. */
const mailWaits = [60, 300, 900, 900]

/**
 * Gives the notice that is due for a hook: the event `CUSTOM->svc::hook_disabled`, and one mail to the address that the
 * domain sends from, where it has mail settings. Safe to repeat. Throws `store_unavailable` when the event was not
 * taken. When the mail cannot be sent the notice is due again, and the message of the `delivery` comes again to give
 * it, four times within about half an hour.
 */
export async function tellOwner(tools: OwnerNotice, hook: Hook, delivery: Pick<Delivery, 'id'>): Promise<void> {
  const reason = hook.disabledReason ?? ''
  const event = serviceEvent({
    kind: 'hook_disabled',
    id: `hook_disabled:${hook.id}:${hook.version}`,
    domain: hook.domain,
    occurredAt: tools.clock.now(),
    fields: { 'Hook-ID': hook.id, 'Hook-Event': hook.event, 'Disabled-Reason': reason },
  })
  const refused = await tools.events.publish([event])
  if (refused.length > 0) throw new DomainError('store_unavailable', 'the event queue did not take the event')
  if (!(await tools.hooks.endNotice(hook))) return
  if (await isMailSent(tools, hook, reason).catch(() => false)) return
  const { noticeTries = 0, domain, id: hookId } = hook
  const delaySeconds = mailWaits[noticeTries]
  if (delaySeconds === undefined || !(await tools.hooks.renewNotice(hook, noticeTries + 1))) return
  await tools.deliveryQueue.send([reminderOf({ id: delivery.id, domain, hookId }, delaySeconds)])
}

/** Whether the mail was sent, or it has no recipient. */
async function isMailSent(tools: OwnerNotice, hook: Hook, reason: string): Promise<boolean> {
  const settings = await tools.emailSettings.read(hook.domain)
  const address = settings && senderOf(settings)
  if (settings === undefined || address === undefined) return true
  const server = await mailServerOf(tools.secretBox, settings)
  const { outcome } = await tools.mail.send(
    {
      from: address,
      to: address,
      subject: `A hook of ${hook.domain} was disabled`,
      text: [
        `The hook ${hook.id} of ${hook.domain} on ${hook.event} was disabled: ${reason}.`,
        'Deliveries that wait for it are skipped. Set its field "enable" to true once its receiver works again.',
        '',
      ].join('\n'),
      id: `hook-disabled-${hook.id}-${hook.version}`,
      date: tools.clock.now(),
    },
    server,
  )
  return outcome === 'sent'
}
