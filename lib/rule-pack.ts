import { AwsSolutionsChecks, type IApplyRule } from 'cdk-nag'

/**
 * The finding that a role may reach everything that lies in one resource, such as the objects of a bucket. The pack
 * itself calls it after the resource; of another stack's resource that is a name which synthesis makes.
 */
export const reachesInside = 'AwsSolutions-IAM5[Resource::<resource>/*]'

/** AWS's rules of good practice, with {@link reachesInside} under its one name. */
export class RulePack extends AwsSolutionsChecks {
  protected override applyRule(params: IApplyRule): void {
    super.applyRule({
      ...params,
      rule: (node) => {
        const findings = params.rule(node)
        return Array.isArray(findings) ? [...new Set(findings.map(insideOf))] : findings
      },
    })
  }
}

function insideOf(finding: string): string {
  return finding.replace(/^Resource::[^*]+\/\*$/, 'Resource::<resource>/*')
}
