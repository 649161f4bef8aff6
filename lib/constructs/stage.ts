import { type App, Lazy } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import { type MetricGroup, metricNamespace } from '../../contracts/metrics.ts'

/** The stage in names, by app. An app's context would not do: it is closed once the app has a child. */
const stages = new WeakMap<IConstruct, string>()

/** Sets the stage that the names of everything in the app have. */
export function setStage(app: App, stage: string): void {
  stages.set(app, stage)
}

/** Returns the stage in the names of an app. */
export function stageOf(scope: IConstruct): string {
  const stage = stages.get(scope.node.root)
  if (stage === undefined) throw new Error('the app has no stage: call setStage first')
  return stage
}

/** Returns a name with the stage after it, such as `Callplane dev`. */
export function staged(scope: IConstruct, name: string, separator: string): string {
  return `${name}${separator}${stageOf(scope)}`
}

/** Returns the name of a log group, such as `/callplane/dev/access`; docs/runbook.md names logs so. */
export function logGroupName(scope: IConstruct, name: string): string {
  return `/callplane/${stageOf(scope)}/${name}`
}

/** Returns the namespace of a group of metrics; the stage is filled in where a template uses it. */
export function namespaceOf(group: MetricGroup): string {
  return Lazy.uncachedString({ produce: ({ scope }) => metricNamespace(group, stageOf(scope)) })
}
