import { systemRandomness } from '../../../adapters/crypto/system-randomness.ts'
import type { Randomness } from '../../../core/time.ts'
import { marker } from '../invariants/secret-forms.ts'

/** Lengths that secrets are made in: tokens and signing secrets, and the secrets of second factors. */
const secretLengths = new Set([32, 20])

/** Randomness whose secrets begin with the marker of test secrets. Nonces and salts, which are shown, do not. */
export const markedRandomness: Randomness = {
  uuid: () => systemRandomness.uuid(),
  bytes(length) {
    const bytes = Buffer.from(systemRandomness.bytes(length))
    if (secretLengths.has(length)) bytes.write(marker, 'latin1')
    return new Uint8Array(bytes)
  },
}
