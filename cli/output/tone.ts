/** The meaning of a word that a colour repeats. The word is always beside it. */
export type Tone = 'green' | 'yellow' | 'red' | 'dim'

const words: Readonly<Record<Exclude<Tone, 'dim'>, RegExp>> = {
  green:
    /^(?:yes|enabled|ok|active|delivered|connected|up|reged|noreg|stored|done|create|online|answered|normal_clearing|takes)$/i,
  yellow:
    /^(?:pending|warning|ringing|early|held|hold|update|trying|register|unregister|retrying|expected|uploading|\d*[34]\d\d|originator_cancel)$/i,
  red: /^(?:failed|wrong|down|disabled|offline|refuse|refused|gone|fail_wait|failed_\w+|expired|noavail|5\d\d|user_busy|no_\w+|call_rejected|\w*unallocated\w*|\w*failure\w*|\w*out_of_order\w*)$/i,
}

/** Returns the tone of a state, such as `delivered`, `RINGING` or an HTTP status; none for one that means neither. */
export function toneOf(state: string): Tone | undefined {
  if (/^2\d\d$/.test(state)) return 'green'
  if (words.red.test(state)) return 'red'
  if (words.green.test(state)) return 'green'
  if (words.yellow.test(state)) return 'yellow'
  return undefined
}
