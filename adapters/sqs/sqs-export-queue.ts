import type { ExportMessage } from '../../contracts/messages/export.ts'
import type { ExportQueue } from '../../core/cdr/exports/export-job.ts'
import type { AdapterContext } from '../context.ts'
import { sendMessage } from './client.ts'
import { queueBody } from '../events/queue-text.ts'

/** Exports on a standard queue; a message that comes twice finds the job as the first has left it. */
export function sqsExportQueue(context: AdapterContext): ExportQueue {
  return {
    async send({ domain, id }) {
      const message: ExportMessage = { version: 1, domain, id }
      await sendMessage(context, 'exports', { MessageBody: queueBody(message) })
    },
  }
}
