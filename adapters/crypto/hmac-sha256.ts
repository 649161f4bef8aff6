import { createHmac } from 'node:crypto'
import type { HmacSha256 } from '../../core/hooks/definition/signing.ts'

/** See {@link HmacSha256}. */
export const hmacSha256: HmacSha256 = (key, text) => createHmac('sha256', key).update(text, 'utf8').digest('base64')
