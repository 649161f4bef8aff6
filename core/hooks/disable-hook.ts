import { mailServerOf, senderOf } from '../email/mail-server-of.ts'
import { DomainError } from '../errors.ts'
import { serviceEvent } from '../events/service-event.ts'
import type { Hook } from '../model.ts'
import type { Clock, EmailSettingsStore, EventSink, HookStore, MailSender, SecretBox } from '../ports.ts'

/** What switching a hook off and telling of it works with. */
export interface HookDisabling {
  readonly hooks: Pick<HookStore, 'replace' | 'endNotice'>
  readonly events: Pick<EventSink, 'publish'>
  readonly emailSettings: Pick<EmailSettingsStore, 'read'>
  readonly secretBox: Pick<SecretBox, 'open'>
  readonly mail: Pick<MailSender, 'send'>
  readonly clock: Clock
}

/**
 * Switches a hook off, so that its owner is to be told; answers it as it is then. One that was removed or changed in any
 * way since `hook` was read stays as it is: nothing is answered.
 */
export async function disableHook(
  { hooks }: Pick<HookDisabling, 'hooks'>,
  hook: Hook,
  reason: string,
): Promise<Hook | undefined> {
  const version = hook.version + 1
  const disabled: Hook = { ...hook, enable: false, disabledReason: reason, noticeDue: true, version }
  return (await hooks.replace(disabled)) ? disabled : undefined
}

/**
 * Gives the notice that is due for a hook: the event `CUSTOM->svc::hook_disabled`, and one mail to the address that the
 * domain sends from, where it has mail settings. Safe to repeat. Throws `store_unavailable` when the event was not taken;
 * a mail that cannot be sent is not sent again, and harms nothing.
 */
export async function tellOwner(tools: HookDisabling, hook: Hook): Promise<void> {
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
  await sendMail(tools, hook, reason).catch(() => {})
}

async function sendMail(tools: HookDisabling, hook: Hook, reason: string): Promise<void> {
  const settings = await tools.emailSettings.read(hook.domain)
  const address = settings && senderOf(settings)
  if (settings === undefined || address === undefined) return
  const server = await mailServerOf(tools.secretBox, settings)
  await tools.mail.send(
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
}
