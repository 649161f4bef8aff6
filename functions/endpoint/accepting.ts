/** A media range of an `Accept` header, with its weight from 0 to 1. */
interface Range {
  readonly type: string
  readonly weight: number
}

/** More ranges than any client sends; the others are not read. */
const maxRanges = 32

/**
 * Judges media types (`audio/wav`) by an `Accept` header: by the range that fits most closely, which takes it unless its
 * weight is 0. Without a header every type is taken.
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

function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split('=')[1]
  return { type, weight: weight === undefined ? 1 : Number(weight.trim()) || 0 }
}
