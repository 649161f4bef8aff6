// `node test/support/control-plane/changed-routes.ts <folder>`: writes an assembly of the stage dev for each change of
// the routes, in the folder that the change is called after.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { readSettings } from '../../../lib/settings.ts'
import { readStageFile } from '../../../lib/stage-file.ts'
import { addCallplane } from '../../../lib/stacks/callplane.ts'
import { build, changeRoutes } from './change-routes.ts'

const { context } = JSON.parse(readFileSync('cdk.json', 'utf8'))
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const [folder = ''] = process.argv.slice(2)
const settings = readSettings(readStageFile(process.cwd(), (name) => (name === 'stage' ? 'dev' : undefined)))
for (const change of ['a route is added', 'it is renamed', 'it is removed'] as const) {
  changeRoutes(change)
  const outdir = join(folder, change.replaceAll(' ', '-'))
  const app = new App({ autoSynth: false, outdir, context, builtinCloudFormationValidation: false })
  addCallplane(app, { settings, build, version })
  app.synth()
}
