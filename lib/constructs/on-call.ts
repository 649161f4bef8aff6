import { Annotations, Stack } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct, type IConstruct } from 'constructs'
import { staged } from './stage.ts'

/** The topics of alarms: `page` wakes a person, `ticket` can wait for the next working day. */
export type AlarmTopics = Readonly<Record<'page' | 'ticket', ITopic>>

const topicsOfApps = new WeakMap<IConstruct, AlarmTopics>()

/** Returns the topics of an app's alarms. */
export function alarmTopics(scope: IConstruct): AlarmTopics {
  const topics = topicsOfApps.get(scope.node.root)
  if (topics === undefined) throw new Error('the app has no topics for alarms: make OnCall first')
  return topics
}

/** The topics of an app's alarms, and their subscriber. */
export class OnCall extends Construct {
  /** `email` may be empty; engineers then subscribe their own pager. */
  constructor(scope: Construct, id: string, { email }: { readonly email: string }) {
    super(scope, id)
    const page = this.topic('Topic', { about: 'alarms', email })
    topicsOfApps.set(this.node.root, { page, ticket: this.topic('Tickets', { about: 'tickets', email }) })
    if (email === '') {
      Annotations.of(this).addWarningV2(
        'callplane:no-alarm-email',
        'No alarm is mailed: set alarmEmail, or subscribe a pager to the topic OnCall after the deployment.',
      )
    }
  }

  private topic(id: string, { about, email }: { readonly about: string; readonly email: string }): Topic {
    const topic = new Topic(this, id, { displayName: `${staged(this, 'Callplane', ' ')} ${about}`, enforceSSL: true })
    // A custom policy replaces the default one, which let the account's alarms publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    )
    if (email !== '') topic.addSubscription(new EmailSubscription(email))
    return topic
  }
}
