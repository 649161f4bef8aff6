import type { HookFilter } from './hook.ts'

/** A hook as a caller writes it; types and lengths have been checked, rules have not. */
export interface HookInput {
  readonly event: string
  readonly enable?: boolean | undefined
  readonly description?: string | undefined
  readonly action: { readonly type: 'web'; readonly method: string; readonly url: string }
  readonly fields?: readonly string[] | undefined
  readonly map?: Readonly<Record<string, string>> | undefined
  readonly filter?: Readonly<Record<string, HookFilter>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly auth?: HookAuthInput | undefined
  readonly customBody?: boolean | undefined
  readonly rawBody?: string | undefined
  readonly rawSubstitution?: boolean | undefined
  readonly retries?: number | undefined
  readonly delay?: number | undefined
}

/** The pre-request of a hook as a caller writes it. */
export interface HookAuthInput {
  readonly enabled?: boolean | undefined
  readonly url?: string | undefined
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly map?: Readonly<Record<string, string>> | undefined
  readonly cookie?: boolean | undefined
}
