import { describe } from 'vitest'
import { systemRandomness } from '../../adapters/crypto/system-randomness.ts'
import { memoryFileStore } from '../support/memory/memory-file-store.ts'
import { s3RecordingFiles } from '../../adapters/s3/s3-file-store.ts'
import { systemClock } from '../../adapters/system/system-clock.ts'
import { startObjectServer } from '../support/stores/object-server.ts'
import { type FileStoreKind, fileStoreContract } from './file-store.contract.ts'

const tools = { clock: systemClock, random: systemRandomness }

const kinds: readonly FileStoreKind[] = [
  { name: 'memory', open: async () => ({ files: memoryFileStore(tools), close: async () => {} }) },
  {
    name: 'S3, as the embedded object store speaks it',
    async open() {
      const server = await startObjectServer()
      return { files: s3RecordingFiles({ ...tools, env: server.env }), close: () => server.close() }
    },
  },
]

describe.each(kinds)('files in $name', ({ open }) => fileStoreContract(open))
