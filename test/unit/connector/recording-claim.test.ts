import { expect, test } from 'vitest'
import { bodyMs } from '../../../adapters/s3/client.ts'
import { completionMs } from '../../../adapters/s3/s3-uploads.ts'
import { claimMs } from '../../../connector/recordings/store-recording.ts'

test('every request of an uploader to the object store has ended when its claim ends', () => {
  expect(Math.max(bodyMs, completionMs)).toBeLessThan(claimMs)
})
