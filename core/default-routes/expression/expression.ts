/** A condition of a callflow as a tree. It is data: none of it is ever run as a program. */
export type Expression =
  | Operand
  | { readonly kind: 'not'; readonly operand: Expression }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] }
  | {
      readonly kind: 'compare'
      readonly operator: Comparison
      readonly left: Expression
      readonly right: Expression
    }
  /** Whether the moment lies in one of the spans; without spans, the moment's own value. */
  | { readonly kind: 'time'; readonly name: string; readonly spans: readonly string[] }
  | { readonly kind: 'match'; readonly pattern: string; readonly flags: string; readonly subject: Operand }
  | { readonly kind: 'call'; readonly name: 'exists' | 'limit'; readonly values: readonly Operand[] }

/** A single value. */
export type Operand =
  | { readonly kind: 'literal'; readonly value: string | number | boolean }
  | { readonly kind: 'variable'; readonly name: string }

/** The operators that compare two values. */
export type Comparison = '==' | '!=' | '<' | '>' | '<=' | '>='
