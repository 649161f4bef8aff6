/** Frames as a test makes them, and cases by the names of samples. */

/** A frame with its length in front, which may be wrong. */
export function frame(type: string, body: string | Buffer, length: string | number = Buffer.byteLength(body)): Buffer {
  return Buffer.concat([Buffer.from(`Content-Length: ${length}\nContent-Type: ${type}\n\n`), Buffer.from(body)])
}

/** An event in JSON with these headers and nothing else. */
export function eventFrame(headers: object): Buffer {
  return frame('text/event-json', JSON.stringify(headers))
}

/** An event in JSON that has nothing but a name. */
export function named(name: string): Buffer {
  return eventFrame({ 'Event-Name': name })
}

/** The expectations of each sample. */
export type Cases = Readonly<Record<string, () => void | Promise<void>>>

/** Plays the case of a sample; a sample without one fails. */
export async function played(cases: Cases, sample: string): Promise<void> {
  const play = cases[sample]
  if (play === undefined) throw new Error(`nothing is said of "${sample}"`)
  await play()
}
