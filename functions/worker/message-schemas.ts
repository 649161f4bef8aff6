import { cdrMessage } from '../../contracts/messages/cdr.ts'
import { cleanupMessage } from '../../contracts/messages/cleanup.ts'
import { commandMessage } from '../../contracts/messages/command.ts'
import { deliveryMessage } from '../../contracts/messages/delivery.ts'
import { eventMessage } from '../../contracts/messages/event.ts'
import { exportMessage } from '../../contracts/messages/export.ts'

/** The schema of the messages of each queue. */
export const messageSchemas = {
  commands: commandMessage,
  events: eventMessage,
  deliveries: deliveryMessage,
  cdrs: cdrMessage,
  exports: exportMessage,
  cleanups: cleanupMessage,
} as const
