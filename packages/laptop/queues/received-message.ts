import * as z from 'zod/mini'

const attributes = z.optional(z.record(z.string(), z.string()))

const receivedMessage = z.object({
  MessageId: z.string(),
  ReceiptHandle: z.string(),
  Body: z.string(),
  MD5OfBody: z.optional(z.string()),
  Attributes: attributes,
  MessageAttributes: z.optional(z.record(z.string(), z.unknown())),
})

/** A message as SQS hands it out. */
export type ReceivedMessage = z.infer<typeof receivedMessage>

/** The answer to `ReceiveMessage`; without `Messages` when there are none. */
export const receiveAnswer = z.object({ Messages: z.nullish(z.array(receivedMessage)) })
