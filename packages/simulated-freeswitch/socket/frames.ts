/** Returns the answer of a socket command. The engine cuts the text at 511 bytes (`session/reply-truncation`). */
export function commandReply(text: string): string {
  return `Content-Type: command/reply\nReply-Text: ${text.slice(0, 511)}\n\n`
}

/** Returns the answer of an `api` command. */
export function apiResponse(text: string): string {
  return `Content-Type: api/response\nContent-Length: ${text.length}\n\n${text}`
}

/** The first frame of the engine. */
export const greeting = 'Content-Type: auth/request\n\n'

/** The notice before the engine closes the connection of its own will. */
export const goodbye = disconnectNotice('Disconnected, goodbye.\nSee you at ClueCon! http://www.cluecon.com/\n')

/** The notice to everybody when the socket module goes away. */
export const shutdownNotice = disconnectNotice('The system is being shut down.\n')

/** The notice to a reader that is too slow. */
export const lostEventsNotice = disconnectNotice('killed listener because of lost events\n')

function disconnectNotice(text: string): string {
  return `Content-Type: text/disconnect-notice\nContent-Length: ${text.length}\n\n${text}`
}
