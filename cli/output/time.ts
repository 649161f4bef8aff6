/** Returns a time in epoch milliseconds as ISO 8601 without milliseconds, in UTC; nothing for no time. */
export function timeText(epochMs: number | undefined): string | undefined {
  return epochMs === undefined ? undefined : new Date(epochMs).toISOString().replace(/\.\d{3}Z$/, 'Z')
}
