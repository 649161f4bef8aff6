/** An error as one sentence with the remedy; printed without a stack. */
export class PlainError extends Error {
  override readonly name = 'PlainError'
}
