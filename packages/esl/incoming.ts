import { EslFramingLost } from './errors.ts'
import { type EslFrame, FrameReader, type UnfinishedFrame } from './frame.ts'
import type { EslLimits } from './options.ts'

/** A notice that is no frame was written into the middle of an event: so an engine drops a listener that overflows. */
const NOTICE = 'text/disconnect-notice'

/** So many of the last bytes are looked at for it; a notice with its headers is shorter. */
const TAIL_BYTES = 256

/** The frames that come on one connection, with the means to distinguish lost framing from an odd frame. */
export class Incoming {
  readonly #reader: FrameReader
  readonly #onFrame: (frame: EslFrame) => void
  #tail: Buffer = Buffer.alloc(0)
  #doubtful = false

  constructor(limits: Pick<EslLimits, 'maxHeaderBytes' | 'maxBodyBytes'>, onFrame: (frame: EslFrame) => void) {
    this.#reader = new FrameReader(limits)
    this.#onFrame = onFrame
  }

  /** Takes the next bytes, which may be written over afterwards. Throws EslFramingLost, and is of no use after that. */
  push(chunk: Buffer): void {
    const before = this.#tail
    this.#tail = Buffer.concat([before, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES)
    try {
      this.#reader.push(chunk, this.#take)
    } catch (error) {
      this.#tail = Buffer.concat([before, chunk])
      this.#doubtful = true
      throw error
    }
  }

  /**
   * Reports that the last event cannot be read. One alone is skipped; if what follows may be no frame, the
   * framing is lost. So it is after two in a row that may be none. A frame that says what it is and how long shows that
   * the framing is right, whether its kind is known or not.
   */
  doubt(): void {
    this.#doubtful = true
  }

  /** The bytes of an incomplete frame, or `undefined` between two frames. */
  get unfinished(): UnfinishedFrame | undefined {
    return this.#reader.unfinished
  }

  /** Whether the last event was overwritten by the notice of an engine that has lost events for this listener. */
  get isOverwritten(): boolean {
    return (this.#doubtful || this.unfinished !== undefined) && this.#tail.includes(NOTICE)
  }

  readonly #take = (frame: EslFrame): void => {
    if (frame.isDoubtful && this.#doubtful) throw new EslFramingLost(frame.problem ?? '')
    this.#doubtful = frame.isDoubtful
    this.#onFrame(frame)
  }
}
