import { mailServerOf, senderOf } from '../../email/write-email-settings.ts'
import { DomainError } from '../../errors.ts'
import { serviceEvent } from '../../events/service-event.ts'
import type { SecretBox } from '../../secrets.ts'
import type { EmailSettingsStore } from '../../email/email-settings-store.ts'
import type { MailSender } from '../../email/mail-sender.ts'
import type { EventSink } from '../../events/event-sink.ts'
import type { DeliveryQueue, QueuedDelivery } from '../delivery/delivery-queue.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type { HookStore } from '../definition/hook-store.ts'
import type { Hook } from '../definition/hook.ts'
import type { Clock } from '../../time.ts'

export interface HookDisabling {
  readonly hooks: Pick<HookStore, 'replace' | 'endNotice' | 'renewNotice'>
  readonly deliveryQueue: Pick<DeliveryQueue, 'send'>
  readonly events: Pick<EventSink, 'publish'>
  readonly emailSettings: Pick<EmailSettingsStore, 'read'>
  readonly secretBox: Pick<SecretBox, 'open'>
  readonly mail: Pick<MailSender, 'send'>
  readonly clock: Clock
}

/** Seconds until a mail that could not be sent is tried again; after the last it is given up. */
const mailWaits = [60, 300, 900, 900]

/** The plan that a reminder names: no attempt is planned for it, so it makes none. */
const reminderDueAt = 0

/**
 * Returns whether a message has to send the notice that is due for its hook. The first message to arrive does. After a
 * mail that could not be sent, only its reminder does, so that other deliveries of the hook do not use up the tries.
 */
export function givesNotice({ noticeDue, noticeTries }: Hook, { dueAt }: Pick<QueuedDelivery, 'dueAt'>): boolean {
  return noticeDue === true && (noticeTries === undefined || dueAt === reminderDueAt)
}

/**
 * Switches a hook off, so that its owner gets a notice; returns its new state. One that was removed or changed in any
 * way since `hook` was read stays as it is: nothing is answered.
 */
export async function disableHook(
  { hooks }: { readonly hooks: Pick<HookStore, 'replace'> },
  hook: Hook,
  reason: string,
): Promise<Hook | undefined> {
  const version = hook.version + 1
  const disabled: Hook = { ...hook, enable: false, disabledReason: reason, noticeDue: true, version }
  return (await hooks.replace(disabled)) ? disabled : undefined
}

/**
 * Gives the notice that is due for a hook: the event `CUSTOM->svc::hook_disabled`, and one mail to the address that the
 * domain sends from, where it has mail settings. Safe to repeat. Throws `store_unavailable` when the event was not
 * taken. When the mail cannot be sent the notice is due again, and the message of the `delivery` comes again to give
 * it, four times within about half an hour.
 */
export async function tellOwner(tools: HookDisabling, hook: Hook, delivery: Pick<Delivery, 'id'>): Promise<void> {
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

/** Returns a message that makes no attempt, but gives the notice that is due for its hook. */
export function reminderOf(
  { id, domain, hookId }: Pick<Delivery, 'id' | 'domain' | 'hookId'>,
  delaySeconds: number,
): QueuedDelivery {
  return { id, domain, hookId, attempt: 1, dueAt: reminderDueAt, delaySeconds }
}

/** Whether the mail was sent, or it has no recipient. */
async function isMailSent(tools: HookDisabling, hook: Hook, reason: string): Promise<boolean> {
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
