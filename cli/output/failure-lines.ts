import { terminalText } from '../../client/index.ts'
import type { Failure } from '../failure/describe-error.ts'
import { foldWords } from './text-width.ts'

const label = 'error:'

/**
 * Returns the lines of a failure, folded at a width: the sentence, details that it does not say already, the way out,
 * then code and request id. `paint` colours the label and the origin.
 */
export function failureLines(
  { code, message, details, wayOut, requestId }: Failure,
  columns: number,
  paint: (style: 'red' | 'dim', text: string) => string,
): readonly string[] {
  const fold = (text: string) => foldWords(terminalText(text), columns - 2)
  const isTold = (text: string) => text.split(/: (.*)/s).every((part) => message.includes(part))
  const more = [...details.filter((text) => !isTold(text)), ...(wayOut === undefined ? [] : [wayOut])]
  const [first = '', ...rest] = fold(`${label} ${message}`)
  return [
    paint('red', label) + first.slice(label.length),
    ...[...rest, ...more.flatMap(fold)].map((line) => `  ${line}`),
    ...(requestId === undefined ? [] : fold(`${code} · request id ${requestId}`)).map(
      (line) => `  ${paint('dim', line)}`,
    ),
  ]
}
