import type { BucketName } from '../resources.ts'
import { type MethodAccess, indexed } from './access-kinds.ts'

/** The access of the ports of recordings, CDRs and exports. */
export const recordingsAccess = {
  recordings: {
    expect: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    listRecorded: [{ table: 'recordings', actions: ['BatchGetItem'] }],
    listByFile: [{ table: 'recordings', actions: ['Query'] }],
    read: [{ table: 'recordings', actions: ['GetItem'] }],
    list: [{ table: 'recordings', actions: ['Query'] }],
    claim: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    renew: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    release: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    markStored: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    markFailed: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    markDeleted: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    markRemoved: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    setHold: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    listOverdue: indexed('recordings'),
    listExpired: indexed('recordings'),
    listDoomed: indexed('recordings'),
    page: [{ table: 'recordings', actions: ['Query'] }],
    leave: [{ table: 'recordings', actions: ['GetItem', 'PutItem'] }],
    listLeft: [{ table: 'recordings', actions: ['Query'] }],
    wasLeft: [{ table: 'recordings', actions: ['GetItem'] }],
    forgetLeft: [{ table: 'recordings', actions: ['DeleteItem'] }],
  },
  recordingFiles: filesIn('recordings'),
  exportFiles: filesIn('exports'),
  exports: {
    create: [{ table: 'exports', actions: ['PutItem'] }],
    read: [{ table: 'exports', actions: ['GetItem'] }],
    replace: [{ table: 'exports', actions: ['PutItem'] }],
    list: [{ table: 'exports', actions: ['Query'] }],
    remove: [{ table: 'exports', actions: ['DeleteItem'] }],
  },
  erasures: {
    create: [{ table: 'erasures', actions: ['PutItem'] }],
    read: [{ table: 'erasures', actions: ['GetItem'] }],
    replace: [{ table: 'erasures', actions: ['PutItem'] }],
    mark: [{ table: 'erasures', actions: ['BatchWriteItem'] }],
    listMarked: [{ table: 'erasures', actions: ['BatchGetItem'] }],
  },
  erasureQueue: { send: [{ queue: 'erasures', actions: ['SendMessage'] }] },
  exportQueue: { send: [{ queue: 'exports', actions: ['SendMessage'] }] },
  cdrQueue: { send: [{ queue: 'cdrs', actions: ['SendMessage'] }] },
  cdrs: {
    index: [{ search: 'cdr', actions: ['ESHttpPost'] }],
    setRecordings: [{ search: 'cdr', actions: ['ESHttpPost'] }],
    search: [{ search: 'cdr', actions: ['ESHttpPost'] }],
    remove: [{ search: 'cdr', actions: ['ESHttpGet', 'ESHttpPost'] }],
  },
  cdrAdmin: {
    prepare: [{ search: 'cdr', actions: ['ESHttpPost'] }],
    removeEmpty: [{ search: 'cdr', actions: ['ESHttpGet', 'ESHttpDelete'] }],
  },
} satisfies Partial<MethodAccess>

/** Returns the access of a file store's methods. Using a link requires the rights of the function that signed it. */
function filesIn(bucket: BucketName): MethodAccess['recordingFiles'] {
  const list = { bucket, actions: ['ListBucket'], whole: true } as const
  const put = { bucket, actions: ['PutObject'] } as const
  return {
    sign: [{ bucket, actions: ['GetObject'] }],
    head: [{ bucket, actions: ['GetObject'] }, list],
    read: [{ bucket, actions: ['GetObject'] }, list],
    put: [put],
    remove: [{ bucket, actions: ['DeleteObject'] }],
    hold: [
      { bucket, actions: ['PutObjectLegalHold'] },
      { bucket, actions: ['ListBucketVersions'], whole: true },
    ],
    beginUpload: [put],
    putPart: [put],
    signPart: [put],
    listParts: [{ bucket, actions: ['ListMultipartUploadParts'] }],
    completeUpload: [put],
    abortUpload: [{ bucket, actions: ['AbortMultipartUpload'] }],
  }
}
