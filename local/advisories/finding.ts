/** One thing that has an advisory, or may have: what it is, and what to do about it. */
export interface Finding {
  readonly subject: string
  readonly problem: string
  readonly action: string
}
