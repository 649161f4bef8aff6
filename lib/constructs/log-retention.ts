import { type App, Aspects } from 'aws-cdk-lib'
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs'

/** Sets the days for which every log group of an app keeps its lines, whatever construct makes it. */
export function keepLogs(app: App, days: number): void {
  Aspects.of(app).add({
    visit(node) {
      if (node instanceof CfnLogGroup) node.retentionInDays = days
    },
  })
}
