/** A message in a mailbox, as the engine lists it. */
export interface VoicemailMessage {
  readonly domain: string
  readonly login: string
  /** The name of its file, which no other message of the mailbox has. */
  readonly file: string
  /** The engine's id; forwarded copies of a message have the same. */
  readonly uuid: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** As the caller's side gave them: any text without line ends. */
  readonly callerName: string
  readonly callerNumber: string
  readonly seconds: number
}

/** `created:read:user:domain:folder:path:uuid:name:number:seconds`; the name may hold colons, and any text. */
const listed =
  /^(\d{1,11}):\d*:([^:]+):([^:]+):[^:]*:[^:]*\/(msg_[A-Za-z0-9_.-]{1,200}):([^:]*):(.*):([^:]*):(\d{1,6})$/su

/** Reads a line of the engine's `vm_list`; `undefined` for another text. */
export function readVoicemailMessage(line: string): VoicemailMessage | undefined {
  const fields = listed.exec(line)
  if (fields === null) return undefined
  const [, created, login = '', domain = '', file = '', uuid = '', callerName = '', callerNumber = '', seconds] = fields
  const createdAt = Number(created) * 1000
  return { domain, login, file, uuid, createdAt, callerName, callerNumber, seconds: Number(seconds) }
}
