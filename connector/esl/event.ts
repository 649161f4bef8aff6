/**
 * One event of the engine, read as far as it is asked for. The five deciding headers cost one pass over the bytes;
 * everything else is decoded when it is first wanted. Bytes that are not UTF-8 read as U+FFFD. Of a name given
 * twice the last counts: a sender of events can put its own in front, never behind the engine's.
 */
export interface EslEvent {
  /** `Event-Name`, or the empty string. */
  readonly name: string
  /** `Event-Subclass` of a CUSTOM event, or the empty string. */
  readonly subclass: string
  /** `Unique-ID` of the channel, or the empty string. */
  readonly uuid: string
  /** `Core-UUID` of the engine's process, or the empty string. */
  readonly coreUuid: string
  /** `Event-Sequence`, or the empty string. Identifies an event of one core; neither orders nor counts them. */
  readonly sequence: string
  /** The value of one header, its name exactly as the engine writes it. */
  header(name: string): string | undefined
  /** Every header, in an object without a prototype. A list reads `ARRAY::a|:b`, a list of one as its only value. */
  headers(): Readonly<Record<string, string>>
  /** The event's own body (a job's answer, a message's text), or the empty string. */
  readonly body: string
}
