import type { ExportMessage } from '../../contracts/messages/export.ts'
import { queues } from '../../contracts/resources.ts'
import type { ExportQueue } from '../../core/cdr/export-job.ts'
import { awsJson, services } from '../aws/aws-json.ts'
import { type AdapterContext, required } from '../context.ts'
import { queueBody } from './queue-text.ts'

/** Exports on a standard queue; a message that comes twice finds the job as the first has left it. */
export function sqsExportQueue(context: AdapterContext): ExportQueue {
  return {
    async send({ domain, id }) {
      const message: ExportMessage = { version: 1, domain, id }
      await awsJson(context, services.sqs, 'SendMessage', {
        QueueUrl: required(context, queues.exports.variable),
        MessageBody: queueBody(message),
      })
    },
  }
}
