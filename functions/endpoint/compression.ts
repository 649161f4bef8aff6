import { gzipSync } from 'node:zlib'
import type { HttpResponse } from './response.ts'

/** Below this many bytes the saving is smaller than the work. */
const leastBytes = 1024
const textTypes = /^(?:text\/|application\/json\b)/

/**
 * Compresses a text answer above 1 KB with gzip if the request accepts it. Such answers name `Accept-Encoding` in
 * `Vary`, compressed or not; all others stay as they are. Entity tags are weak, so both forms may share one.
 */
export function compressed(answer: HttpResponse, acceptEncoding: string | undefined): HttpResponse {
  const { body = '', headers, isBase64Encoded = false } = answer
  if (body.length < leastBytes || !textTypes.test(headers['Content-Type'] ?? '')) return answer
  const varied = { ...headers, Vary: varyingBy(headers['Vary']) }
  if (!acceptsGzip(acceptEncoding)) return { ...answer, headers: varied }
  const zipped = gzipSync(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
  return {
    ...answer,
    headers: { ...varied, 'Content-Encoding': 'gzip' },
    body: zipped.toString('base64'),
    isBase64Encoded: true,
  }
}

/** Adds `Accept-Encoding` to the headers by which an answer differs already. */
function varyingBy(earlier = ''): string {
  if (/(?:^|,)\s*(?:accept-encoding|\*)\s*(?:,|$)/i.test(earlier)) return earlier
  return earlier === '' ? 'Accept-Encoding' : `${earlier}, Accept-Encoding`
}

/** Returns whether an `Accept-Encoding` header accepts gzip. A client that sends none may not be able to read it. */
export function acceptsGzip(header = ''): boolean {
  const codings = weightedRanges(header)
  const named = codings.find(({ type }) => type === 'gzip') ?? codings.find(({ type }) => type === '*')
  return named !== undefined && named.weight > 0
}

/** A media range of an `Accept` header, or a coding of an `Accept-Encoding` header, with its weight from 0 to 1. */
export interface WeightedRange {
  readonly type: string
  readonly weight: number
}

/** More ranges than any client sends; further ones are ignored. */
const maxRanges = 32

/** Reads the ranges of an `Accept` or `Accept-Encoding` header. A weight that cannot be read counts as 0. */
export function weightedRanges(header: string): readonly WeightedRange[] {
  return header.split(',', maxRanges).map((text) => {
    const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.split('=')[1]
    return { type, weight: weight === undefined ? 1 : Number(weight.trim()) || 0 }
  })
}
