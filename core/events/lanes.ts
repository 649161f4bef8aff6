/**
 * Groups of each domain on the event queue. SQS hands out one group to one function at a time, so this is how many
 * functions can dispatch events of one domain at once.
 */
export const lanes = 4

const encoder = new TextEncoder()

/** Returns the lane of a call's events, always the same for a call. Events without a call are of the first lane. */
export function laneOf(uuid: string): number {
  return encoder.encode(uuid).reduce((sum, byte) => sum + byte, 0) % lanes
}
