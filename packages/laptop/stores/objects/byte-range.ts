/** The bytes of an object that an answer contains; both ends included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/**
 * Returns the range that a `Range` header asks for of an object of `size` bytes: `undefined` means all of it (no
 * header, or a form that S3 ignores: several ranges, another unit), `unsatisfiable` that no byte of it exists.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | undefined | 'unsatisfiable' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  if (match === null) return undefined
  const [from = '', to = ''] = match.slice(1)
  if (from === '' && to === '') return undefined
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 }
  }
  const first = Number(from)
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < first) return undefined
  return first >= size ? 'unsatisfiable' : { first, last }
}
