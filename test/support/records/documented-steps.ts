import { documentText } from './document.ts'

/** A step of docs/routes.md: its kind, the callflow of its example, and the applications that the page shows. */
export interface DocumentedStep {
  readonly kind: string
  readonly callflow: readonly unknown[]
  readonly shown: readonly string[]
}

const examples = /^### (\w+)\n[^]*?```json\n([^]*?)```\n\n```text\n([^]*?)```/gm

/** Replaces the position in a route, which has the id of the route, by what the page shows for it. */
export const withoutPosition = (line: string): string => line.replace(/^set svc_route=.*/, 'set svc_route=<position>')

/** The steps that docs/routes.md describes, in its order. */
export const documentedSteps: readonly DocumentedStep[] = [...documentText('routes.md').matchAll(examples)].map(
  ([, kind = '', json = '', text = '']) => ({ kind, callflow: JSON.parse(json), shown: text.trimEnd().split('\n') }),
)

const heardTable = /^## What callers hear\n[^]*?\n\|---\|---\|\n([^]*?)\n\n/m

/**
 * The rows of the table "What callers hear" of docs/routes.md: a kind of step or a state of a call, and whether callers
 * hear nothing then.
 */
export const documentedSounds: readonly { readonly of: string; readonly isSilent: boolean }[] = (
  heardTable.exec(documentText('routes.md'))?.[1] ?? ''
)
  .split('\n')
  .flatMap((row) => {
    const [, of = '', heard = ''] = /^\| (.+) \| (.+) \|$/.exec(row) ?? []
    const kinds = [...of.matchAll(/`(\w+)`/g)].map(([, kind = '']) => kind)
    return (kinds.length > 0 ? kinds : [of]).map((each) => ({ of: each, isSilent: heard.startsWith('silence') }))
  })
