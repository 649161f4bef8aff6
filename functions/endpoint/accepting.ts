/** A media range of an `Accept` header, or a coding of an `Accept-Encoding` header, with its weight from 0 to 1. */
interface Range {
  readonly type: string
  readonly weight: number
}

/** More ranges than any client sends; further ones are ignored. */
const maxRanges = 32

/**
 * Returns a test of media types (`audio/wav`) against an `Accept` header: the most specific matching range accepts the
 * type unless its weight is 0. Without a header every type is accepted.
 */
export function accepting(header: string | undefined): (mediaType: string) => boolean {
  if (header === undefined || header.trim() === '') return () => true
  const ranges = header.split(',', maxRanges).map(rangeOf)
  return (mediaType) => {
    const names = [mediaType.toLowerCase(), `${mediaType.toLowerCase().split('/')[0]}/*`, '*/*']
    const closest = names.map((name) => ranges.find(({ type }) => type === name)).find((found) => found !== undefined)
    return closest !== undefined && closest.weight > 0
  }
}

/** Returns whether an `Accept-Encoding` header accepts gzip. A client that sends none may not be able to read it. */
export function acceptsGzip(header = ''): boolean {
  const codings = header.split(',', maxRanges).map(rangeOf)
  const named = codings.find(({ type }) => type === 'gzip') ?? codings.find(({ type }) => type === '*')
  return named !== undefined && named.weight > 0
}

function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split('=')[1]
  return { type, weight: weight === undefined ? 1 : Number(weight.trim()) || 0 }
}
