/** A refusal of the object store, in the words of S3. */
export class ObjectRefusal extends Error {
  override readonly name = 'ObjectRefusal'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}
