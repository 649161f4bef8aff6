// `cdk --app 'node test/support/control-plane/changed-app.ts'`: the app of the stage dev with one change of each kind.
// A schedule and an endpoint are gone, an endpoint of engines has another name and path, another one is new, and there
// is one more queue, which a function of another stack names. With settings as JSON after it, it is the unchanged app
// with these.
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { App, Stack } from 'aws-cdk-lib'
import { CfnFunction } from 'aws-cdk-lib/aws-lambda'
import { Queue } from 'aws-cdk-lib/aws-sqs'
import type { IConstruct } from 'constructs'
import { holdChannel } from '../../../contracts/routes/channels.ts'
import { lookUpDialplan, takeCdr } from '../../../contracts/routes/engine.ts'
import { handlerName, routes } from '../../../contracts/routes/index.ts'
import type { Route } from '../../../contracts/routes/route.ts'
import { readSettings } from '../../../lib/settings.ts'
import { readStageFile } from '../../../lib/stage-file.ts'
import { addCallplane } from '../../../lib/stacks/callplane.ts'

const root = process.cwd()
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const app = new App({ autoSynth: false })
const values = readStageFile(root, (name) => (name === 'stage' ? 'dev' : undefined))
const [given] = process.argv.slice(2)
const build = { folder: join(root, '.build', 'bundles') }
if (given === undefined) changeRoutes()
addCallplane(app, {
  settings: readSettings({ ...values, ...JSON.parse(given ?? '{}') }),
  build,
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

/** Removes, renames and adds a route. The two with other names have the code of the one that they come from. */
function changeRoutes(): void {
  const changed: Route[] = routes.flatMap((route) => {
    if (route === holdChannel) return []
    if (route === takeCdr) return [renamed(takeCdr, 'takeRecord', '/engine/record')]
    return route === lookUpDialplan ? [route, renamed(route, 'lookUpCallplan', '/engine/callplan')] : [route]
  })
  Object.assign(routes, changed)
}

function renamed(route: Route, operationId: string, path: string): Route {
  const folderOf = (id: string) => join(build.folder, 'functions', route.group, handlerName(id))
  cpSync(folderOf(route.operationId), folderOf(operationId), { recursive: true })
  return { ...route, operationId, path }
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
