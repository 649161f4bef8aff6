import { Validations } from 'aws-cdk-lib'
import { Secret } from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { retained } from './retained.ts'

/** A generated secret of the deployment: 40 letters and digits (238 bits), kept when its stack is deleted. */
export class GeneratedSecret extends Secret {
  constructor(scope: Construct, id: string, { purpose }: { readonly purpose: string }) {
    super(scope, id, {
      description: `Callplane: ${purpose}`,
      // No punctuation: the event socket's password stands inside an XML file, the engine's credential inside a URL.
      generateSecretString: { passwordLength: 40, excludePunctuation: true },
      removalPolicy: retained,
    })
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'The other side holds the same value (the engine, or a person), so a timer cannot rotate it alone. ' +
        'Readers take a new value up within five minutes; docs/runbook.md says how to rotate.',
    })
  }
}
