import { cdrMessage, cleanupMessage, deliveryMessage, eventMessage, exportMessage } from '../../contracts/messages/worker-messages.ts'
import { commandMessage } from '../../contracts/messages/command.ts'

/** The schema of the messages of each queue. */
export const messageSchemas = {
  commands: commandMessage,
  events: eventMessage,
  deliveries: deliveryMessage,
  slowDeliveries: deliveryMessage,
  cdrs: cdrMessage,
  exports: exportMessage,
  cleanups: cleanupMessage,
} as const
