/**
 * Returns the number of a dialled text: the user part of a SIP address up to its first `;`. Parameters follow there,
 * such as `phone-context=+49` and `user=phone`.
 */
export function dialledNumber(text: string): string {
  return text.split(';', 1)[0] ?? ''
}
