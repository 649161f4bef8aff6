/** What went wrong, as one sentence that tells a person what to do; printed without a stack. */
export class PlainError extends Error {
  override readonly name = 'PlainError'
}
