/**
 * Returns whether a text names a time zone, in the spelling of the zone database. The engine finds zones by file name,
 * so `europe/kyiv` and offsets such as `+03:00`, which the runtime would accept too, are refused.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Z][A-Za-z0-9_+/-]{1,63}$/.test(name)) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions()
    return timeZone.toLowerCase() !== name.toLowerCase() || timeZone === name
  } catch {
    return false
  }
}
