import { isJsonObject } from '../default-routes/json.ts'
import { nestedCallflows } from '../default-routes/step-kinds.ts'
import type { CallflowStep } from '../default-routes/stored-route.ts'

/** A callflow inside a step. */
export interface Branch {
  /** `then`, `case.1`, `digits.1`, `actions`. */
  readonly name: string
  readonly steps: readonly CallflowStep[]
}

/** Returns the kind of a step; `undefined` for one that only breaks. */
export function kindOf(step: CallflowStep): string | undefined {
  return Object.keys(step).find((key) => key !== 'break' && key !== 'async' && key !== 'tag')
}

/** Returns the callflows inside a step, always in the same order. */
export function branchesOf(kind: string, argument: unknown): Branch[] {
  if (!isJsonObject(argument)) return []
  if (kind === 'if') return ['then', 'else'].map((name) => ({ name, steps: stepsOf(argument[name]) }))
  const member = { switch: 'case', menu: 'digits' }[kind]
  if (member !== undefined) {
    const cases = isJsonObject(argument[member]) ? argument[member] : {}
    return Object.keys(cases)
      .toSorted()
      .map((value) => ({ name: `${member}.${value}`, steps: stepsOf(cases[value]) }))
  }
  const path = nestedCallflows.get(kind)
  if (path === undefined) return []
  const nested = path.reduce<unknown>((inner, name) => (isJsonObject(inner) ? inner[name] : undefined), argument)
  return [{ name: path.join('.'), steps: stepsOf(nested) }]
}

function stepsOf(value: unknown): readonly CallflowStep[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** Returns the position of the step with a tag, as {@link Cursor} counts. */
export function cursorOfTag(steps: readonly CallflowStep[], tag: string): Cursor | undefined {
  for (const [index, step] of steps.entries()) {
    if (step['tag'] === tag) return [index]
    const kind = kindOf(step)
    for (const [branch, { steps: inner }] of kind === undefined ? [] : branchesOf(kind, step[kind]).entries()) {
      const found = cursorOfTag(inner, tag)
      if (found !== undefined) return [index, branch, ...found]
    }
  }
  return undefined
}

/** A position in a callflow: index of the step, then index of its branch and of the step in it, and so on. */
export type Cursor = readonly number[]
