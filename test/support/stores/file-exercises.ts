import { expect } from 'vitest'
import type { FileStore, Upload } from '../../../core/recordings/file-store.ts'
import { aFileBody } from '../processes/file-bodies.ts'
import type { CloudPorts } from './cloud-exercises.ts'

const aPart = { number: 1, size: 5, sha256: 'f'.repeat(64), etag: '"some"' }

/** Stores the only part of an upload by its link. */
async function putByLink(files: FileStore, upload: Upload): Promise<Response> {
  const { size, sha256 } = aFileBody('sound')
  const { url, checksum } = await files.signPart(upload, { number: 1, size, sha256 }, 60)
  return fetch(url, { method: 'PUT', body: 'sound', headers: { 'x-amz-checksum-sha256': checksum } })
}

/** Exercises every method of a file store. A link is followed, because the store checks it when it is used. */
export function fileExercises(filesOf: (ports: CloudPorts) => FileStore) {
  const key = 'a.example.com/object'
  const upload = { key, uploadId: 'f'.repeat(48) }
  const link = { key, contentType: 'audio/wav', disposition: 'inline', seconds: 60 }
  const put = (ports: CloudPorts) => filesOf(ports).put(key, 'audio/wav', aFileBody('sound'))
  const begin = (ports: CloudPorts) => filesOf(ports).beginUpload(key, 'audio/wav')
  return {
    sign: {
      first: put,
      run: async (ports: CloudPorts) => expect((await fetch((await filesOf(ports).sign(link)).url)).status).toBe(200),
    },
    head: { run: (ports: CloudPorts) => filesOf(ports).head('none') },
    read: { run: (ports: CloudPorts) => filesOf(ports).read('none', 9) },
    put: { run: put },
    remove: { run: (ports: CloudPorts) => filesOf(ports).remove(key) },
    hold: { first: put, run: (ports: CloudPorts) => filesOf(ports).hold(key, true) },
    beginUpload: { run: begin },
    putPart: { run: async (ports: CloudPorts) => filesOf(ports).putPart(await begin(ports), 1, aFileBody('sound')) },
    signPart: {
      run: async (ports: CloudPorts) => expect((await putByLink(filesOf(ports), await begin(ports))).status).toBe(200),
    },
    listParts: { run: (ports: CloudPorts) => filesOf(ports).listParts(upload) },
    completeUpload: { run: (ports: CloudPorts) => filesOf(ports).completeUpload(upload, [aPart]) },
    abortUpload: { run: (ports: CloudPorts) => filesOf(ports).abortUpload(upload) },
  }
}
