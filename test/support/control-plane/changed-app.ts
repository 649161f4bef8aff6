// `cdk --app 'node test/support/control-plane/changed-app.ts'`: the app of the stage dev with one change of each kind.
// A schedule and an endpoint are gone, and there is one more queue, which a function of another stack names. With
// settings as JSON after it, it is the unchanged app with these.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { App, Stack } from 'aws-cdk-lib'
import { CfnFunction } from 'aws-cdk-lib/aws-lambda'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import type { IConstruct } from 'constructs'
import { changeRoutes } from './change-routes.ts'
import { readSettings } from '../../../lib/settings.ts'
import { readStageFile } from '../../../lib/stage-file.ts'
import { addCallplane } from '../../../lib/stacks/callplane.ts'

const root = process.cwd()
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const app = new App({ autoSynth: false })
const context: Readonly<Record<string, string>> = { stage: 'dev', localSettings: 'off' }
const values = readStageFile(root, (name) => context[name])
const [given] = process.argv.slice(2)
if (given === undefined) changeRoutes('HoldChannel is removed')
addCallplane(app, {
  settings: readSettings({ ...values, ...JSON.parse(given ?? '{}') }),
  build: { folder: join(root, '.build', 'bundles') },
  version,
})
if (given === undefined) {
  remove('CallplaneWorkers', 'RemoveExpiredRecordings')
  addQueue()
}
app.synth()

function find(path: string): IConstruct {
  return path.split('/').reduce<IConstruct>((parent, id) => parent.node.findChild(id), app)
}

function remove(path: string, id: string): void {
  if (!find(path).node.tryRemoveChild(id)) throw new Error(`there is no ${path}/${id}`)
}

function addQueue(): void {
  const stateful = find('CallplaneStateful')
  const sender = find('CallplaneWorkers/Deliver/Handler/Function').node.defaultChild
  if (!Stack.isStack(stateful) || !(sender instanceof CfnFunction)) throw new Error('the app has another form')
  const deadLetters = new Queue(stateful, 'MoreDeadLetters', { enforceSSL: true })
  const queue = new Queue(stateful, 'MoreQueue', {
    enforceSSL: true,
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: 3 },
  })
  sender.addPropertyOverride('Environment.Variables.QUEUE_MORE', queue.queueUrl)
}
