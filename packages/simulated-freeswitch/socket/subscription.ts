import { type EngineEvent, headerOf } from '../events/engine-event.ts'
import { EventFilter } from './event-filter.ts'
import { eventNamed } from './event-names.ts'
import type { EventFormat } from './serialize-event.ts'

const noKeywords = '-ERR no keywords supplied'

/** The events that one connection wants, with the semantics of `event`, `nixevent`, `noevents` and `filter`. */
export class Subscription {
  readonly filter = new EventFilter()
  /** The format belongs to the connection: the last `event` command wins (`subscribe/format-switch`). */
  format: EventFormat = 'plain'
  #active = false
  /** Every event, and every subclass of CUSTOM. The first `nixevent` of a name ends this permanently. */
  #all = false
  /** Every event but a CUSTOM one with a subclass: the rest of ALL after a `nixevent`. */
  readonly #allBut = { on: false, except: new Set<string>() }
  #names = new Set<string>()
  #subclasses = new Set<string>()
  /** The one channel of `myevents`; unset when the uuid was unknown, and then every channel passes. */
  #onlyUuid: string | undefined

  /** `event [format] words…`; every word after CUSTOM is a subclass. Answers the reply's text. */
  enable(words: readonly string[]): string {
    const format = formatNamed(words[0])
    if (format !== undefined) this.format = format
    let found = false
    let custom = false
    for (const word of format === undefined ? words : words.slice(1)) {
      const name = eventNamed(word)
      if (custom) this.#subclasses.add(word)
      else if (name !== undefined) {
        found = true
        custom = name === 'CUSTOM'
        this.#add(name)
      }
    }
    if (!found) return noKeywords
    this.#active = true
    return `+OK event listener enabled ${this.format}`
  }

  /** `nixevent words…`. Answers the reply's text. */
  disable(words: readonly string[]): string {
    let found = false
    let custom = false
    for (const word of words) {
      const name = eventNamed(word)
      if (custom) this.#subclasses.delete(word)
      else if (name !== undefined) {
        found = true
        custom = name === 'CUSTOM'
        if (!custom) this.#remove(name)
      }
    }
    return found ? '+OK events nixed' : noKeywords
  }

  /** `noevents`. Answers the reply's text. */
  clear(): string {
    if (!this.#active) return '-ERR not listening for events'
    this.#active = false
    this.#remove('ALL')
    this.#subclasses.clear()
    this.#onlyUuid = undefined
    return '+OK no longer listening for events'
  }

  /** `myevents <uuid> [format]`: the events of one channel, or of all when that channel does not exist. */
  onlyChannel(uuid: string | undefined, formatWord: string | undefined): string {
    this.format = formatNamed(formatWord) ?? this.format
    this.#active = true
    this.#onlyUuid = uuid
    for (const name of channelEvents) this.#add(name)
    return '+OK Events Enabled'
  }

  wants(event: EngineEvent): boolean {
    if (!this.#active || !this.#subscribed(event)) return false
    if (this.#onlyUuid !== undefined && headerOf(event, 'Unique-ID') !== this.#onlyUuid) return false
    return this.filter.passes(event)
  }

  #subscribed(event: EngineEvent): boolean {
    if (this.#all) return true
    const named = this.#names.has(event.name) || (this.#allBut.on && !this.#allBut.except.has(event.name))
    return named && (event.subclass === undefined || this.#subclasses.has(event.subclass))
  }

  #add(name: string): void {
    if (name === 'ALL') this.#all = true
    else {
      this.#names.add(name)
      this.#allBut.except.delete(name)
    }
  }

  #remove(name: string): void {
    if (name === 'ALL') {
      this.#all = false
      this.#allBut.on = false
      this.#names.clear()
      return
    }
    if (this.#all) {
      this.#all = false
      this.#allBut.on = true
      this.#allBut.except.clear()
    }
    this.#allBut.except.add(name)
    this.#names.delete(name)
  }
}

/** The events of `myevents` (`subscribe/myevents-inbound`). */
const channelEvents = `CHANNEL_ANSWER CHANNEL_APPLICATION CHANNEL_BRIDGE CHANNEL_CREATE CHANNEL_DATA CHANNEL_DESTROY
  CHANNEL_EXECUTE CHANNEL_EXECUTE_COMPLETE CHANNEL_HANGUP CHANNEL_HANGUP_COMPLETE CHANNEL_HOLD CHANNEL_ORIGINATE
  CHANNEL_OUTGOING CHANNEL_PARK CHANNEL_PROGRESS CHANNEL_PROGRESS_MEDIA CHANNEL_STATE CHANNEL_UNBRIDGE CHANNEL_UNHOLD
  CHANNEL_UNPARK CALL_UPDATE CODEC DTMF PLAYBACK_START PLAYBACK_STOP RECORD_START RECORD_STOP`.split(/\s+/)

function formatNamed(word: string | undefined): EventFormat | undefined {
  const name = word?.toLowerCase()
  return name === 'plain' || name === 'json' || name === 'xml' ? name : undefined
}
