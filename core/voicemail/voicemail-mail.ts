import type { Mail } from '../email/email-settings.ts'
import { recordingTypeOf } from '../recordings/recording-type.ts'
import type { VoicemailMessage } from './voicemail-message.ts'

/** The parts of a mail about a message that are not in the message. */
export interface VoicemailMailParts {
  readonly from: string
  readonly to: string
  readonly timeZone: string
  readonly audio?: Uint8Array | undefined
  /** Whether the audio is missing because it is too long. */
  readonly isTooLong: boolean
  readonly id: string
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Returns the mail about a message of a mailbox. What the caller's side says of itself is reduced to letters, digits
 * and a few signs, at most 64 of them.
 */
export function voicemailMail(message: VoicemailMessage, parts: VoicemailMailParts): Mail {
  const { domain, login, createdAt, seconds, file } = message
  const { from, to, timeZone, audio, isTooLong, id, now } = parts
  const [name, number] = [shown(message.callerName), shown(message.callerNumber)]
  const caller = [...new Set([name, number])].filter((text) => text !== '').join(', ') || 'an unknown caller'
  const left = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long', timeZone }).format(createdAt)
  const text = [
    `A message was left for ${login}@${domain}.`,
    '',
    `Caller: ${caller}`,
    `Time: ${left}`,
    ...(seconds === undefined ? [] : [`Length: ${seconds} s`]),
    ...(isTooLong ? ['', 'It is too long for a mail: please listen to it by phone.'] : []),
    '',
  ].join('\n')
  const ending = /\.[A-Za-z0-9]+$/.exec(file)?.[0] ?? ''
  const stamp = new Date(createdAt).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return {
    from,
    to,
    subject: `Voicemail for ${login} from ${caller}`,
    text,
    id,
    date: now,
    ...(audio === undefined
      ? {}
      : {
          attachment: {
            name: `voicemail-${stamp}${ending}`,
            type: recordingTypeOf(file) ?? 'application/octet-stream',
            bytes: audio,
          },
        }),
  }
}

function shown(text: string): string {
  return text
    .replaceAll(/[^\p{L}\p{M}\p{N} ._+*#()&-]/gu, '')
    .trim()
    .slice(0, 64)
}
