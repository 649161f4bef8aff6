import { Annotations, Stack } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import { staged } from './stage.ts'

/** The topic of all alarms, and its subscriber. */
export class OnCall extends Construct {
  readonly topic: Topic

  /** `email` may be empty; engineers then subscribe their own pager. */
  constructor(scope: Construct, id: string, { email }: { readonly email: string }) {
    super(scope, id)
    this.topic = new Topic(this, 'Topic', { displayName: `${staged(this, 'Callplane', ' ')} alarms`, enforceSSL: true })
    // A custom policy replaces the default one, which let the account's alarms publish.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    )
    if (email !== '') this.topic.addSubscription(new EmailSubscription(email))
    else {
      Annotations.of(this).addWarningV2(
        'callplane:no-alarm-email',
        'No alarm is mailed: set alarmEmail, or subscribe a pager to the topic OnCall after the deployment.',
      )
    }
  }
}
