import { DomainError } from '../../core/errors.ts'
import type { Ports } from '../../contracts/ports.ts'
import { recordingNews } from '../../core/recordings/recording-news.ts'
import type { RecordingsPlace } from './attend-recording.ts'
import { Recorder, type RecorderDeps } from './recorder.ts'

export interface CallRecorderDeps extends Omit<RecorderDeps, 'place' | 'noteInCdr'> {
  readonly ports: RecorderDeps['ports'] & Pick<Ports, 'cdrQueue'>
  readonly recordings?: RecordingsPlace | undefined
}

/** Returns the recorder of a connector, which has CDRs show their recordings by the queue of CDRs. */
export function callRecorder(parts: CallRecorderDeps): Recorder {
  return new Recorder({
    ...parts,
    place: parts.recordings,
    noteInCdr: async (recording) => {
      const news = recordingNews(recording)
      const refused = news === undefined ? [] : await parts.ports.cdrQueue.send([news])
      if (refused.length > 0) throw new DomainError('store_unavailable', 'the queue of CDRs did not take the news')
    },
  })
}
