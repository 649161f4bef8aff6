/** A header's value; an array is what the engine shows as `ARRAY::a|:b` or as a JSON array. */
export type HeaderValue = string | readonly string[]

/** One header. Names may repeat: the engine adds its own after those that a client sent. */
export type Header = readonly [name: string, value: HeaderValue]

/** An event as it goes to the listeners: byte text throughout, headers in the order that the engine writes them. */
export interface EngineEvent {
  readonly name: string
  /** Only of CUSTOM events. */
  readonly subclass?: string | undefined
  readonly headers: readonly Header[]
  /** Written after the headers, with its length; also when it is empty. */
  readonly body?: string | undefined
}

/** The source line that the engine names in each event. */
export type CallingPlace = readonly [file: string, functionName: string, line: number]

/** Returns the first value of a header, looked for without regard to case as the engine does. */
export function headerOf(event: EngineEvent, name: string): string | undefined {
  const wanted = name.toLowerCase()
  const found = event.headers.find(([candidate]) => candidate.toLowerCase() === wanted)
  return found === undefined ? undefined : arrayText(found[1])
}

/** Returns a value as one text: `ARRAY::` and its members parted by `|:`, or the bare value where there is only one. */
export function arrayText(value: HeaderValue): string {
  if (typeof value === 'string') return value
  return value.length === 1 ? (value[0] ?? '') : `ARRAY::${value.join('|:')}`
}
