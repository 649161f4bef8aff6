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
  /** As the caller's side gave it: any text. */
  readonly callerName: string
  /** Empty if the name of the caller has cut the line. */
  readonly callerNumber: string
  /** Absent if the name of the caller has cut the line. */
  readonly seconds?: number | undefined
}

/** `created:read:user:domain:folder:path:uuid:caller`: nothing before the caller is text of a caller. */
const listed = /^(\d{1,11}):\d*:([^:]+):([^:]+):[^:]*:[^:]*\/(msg_[A-Za-z0-9_.-]{1,200}):([^:]*):(.*)$/su

/** `name:number:seconds`; the name may hold colons, and line ends. */
const said = /^(.*):([^:]*):(\d{1,6})$/su

/**
 * Reads a line of the engine's `vm_list`, which a line end in the name of the caller may cut; `undefined` for another
 * text.
 */
export function readVoicemailMessage(line: string): VoicemailMessage | undefined {
  const fields = listed.exec(line)
  if (fields === null) return undefined
  const [, created, login = '', domain = '', file = '', uuid = '', caller = ''] = fields
  const [, callerName = caller, callerNumber = '', seconds] = said.exec(caller) ?? []
  const length = seconds === undefined ? undefined : Number(seconds)
  return { domain, login, file, uuid, createdAt: Number(created) * 1000, callerName, callerNumber, seconds: length }
}
