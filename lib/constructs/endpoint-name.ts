import { createHash } from 'node:crypto'
import type { Construct } from 'constructs'
import { staged } from './stage.ts'

/** Returns the start of the names of a stage's endpoints. No stage has an underscore in its name. */
export function endpointPrefix(scope: Construct): string {
  return `${staged(scope, 'callplane', '-')}_`
}

/**
 * Returns the physical name of an endpoint's function. CloudFormation creates new functions before it deletes old ones,
 * so the name changes whenever the logical id does: both follow from the path of the construct `id`. It has 64
 * characters at most, of which 16 are the stage's.
 */
export function endpointName(scope: Construct, id: string): string {
  const digest = createHash('sha256').update(`${scope.node.path}/${id}`).digest('hex')
  return `${endpointPrefix(scope)}${id.slice(0, 28)}_${digest.slice(0, 8)}`
}
