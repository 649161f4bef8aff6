import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { bundle } from '../lib/bundle.ts'
import { refuseOtherPartitions } from '../lib/partition.ts'
import { addCallplane } from '../lib/stacks/callplane.ts'
import { readSettings } from '../lib/settings.ts'
import { readStageFile } from '../lib/stage-file.ts'

const root = join(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

try {
  // The CDK sets it to the region of the credentials.
  refuseOtherPartitions(process.env['CDK_DEFAULT_REGION'])
  const app = new App({ autoSynth: false })
  const settings = readSettings(readStageFile(root, (name) => app.node.tryGetContext(name)))
  const build = await bundle({
    source: root,
    target: join(root, '.build', 'bundles'),
    onSlow: (sentence) => console.error(`${sentence} …`),
  })
  addCallplane(app, { settings, build, version })
  app.synth()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
