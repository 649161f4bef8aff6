import { documentText } from './document.ts'

/** A step of docs/routes.md: its kind, the callflow of its example, and the applications that the page shows. */
export interface DocumentedStep {
  readonly kind: string
  readonly callflow: readonly unknown[]
  readonly shown: readonly string[]
}

const examples = /^### (\w+)\n[^]*?```json\n([^]*?)```\n\n```text\n([^]*?)```/gm

/** The steps that docs/routes.md describes, in its order. */
export const documentedSteps: readonly DocumentedStep[] = [...documentText('routes.md').matchAll(examples)].map(
  ([, kind = '', json = '', text = '']) => ({ kind, callflow: JSON.parse(json), shown: text.trimEnd().split('\n') }),
)
