import { type EndFields, reported } from '../../core/cdr/end-fields.ts'
import { fieldsOfPost } from '../../core/cdr/cdr-from-post.ts'
import { DomainError } from '../../core/errors.ts'

/** The form field of the posted JSON, as the engine's module names it. */
const formField = 'cdr='

/**
 * Reads the body of the engine's CDR post. The form is recognized by the content and not by the media type, which the
 * engine loses without `100-continue`: JSON; a form's `cdr` with percent-encoded JSON; the same in base64. Bytes that
 * are not UTF-8 become U+FFFD, as in events, and control characters that JSON does not allow become spaces. Throws
 * `invalid_json` for text that is not JSON, and `invalid_field` for JSON that is not a CDR.
 */
export function readCdrPost(body: Uint8Array): EndFields {
  const fields = fieldsOfPost(parse(jsonOf(body)), (text) => utf8(percentDecoded(text)))
  if (fields === undefined || reported(fields, 'Unique-ID') === undefined) {
    throw new DomainError('invalid_field', 'body: must be a CDR with the variables of its leg, `uuid` among them')
  }
  return fields
}

function jsonOf(body: Uint8Array): string {
  const text = utf8(body).trimStart()
  if (!text.startsWith(formField)) return text
  const value = text.slice(formField.length).trimEnd()
  return utf8(/^[A-Za-z0-9+/=\s]+$/.test(value) ? Buffer.from(value, 'base64') : percentDecoded(value))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return parseWithoutControls(text)
  }
}

function parseWithoutControls(text: string): unknown {
  try {
    // oxlint-disable-next-line no-control-regex -- control characters are what is replaced
    return JSON.parse(text.replaceAll(/[\u0000-\u001f]/g, ' '))
  } catch {
    throw new DomainError('invalid_json', 'the body is not a CDR in JSON, as such, in a form or in base64')
  }
}

function utf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

/** Decodes percent encoding. A `%` without two hex digits stands for itself. The engine writes no `+` for a space. */
function percentDecoded(text: string): Buffer {
  const pieces = text.split(/%([0-9A-Fa-f]{2})/)
  return Buffer.concat(pieces.map((piece, index) => Buffer.from(piece, index % 2 === 0 ? 'utf8' : 'hex')))
}
