// `npm run docs`: the manual as a site in docs/site/dist. Its generator is installed next to its configuration, and
// only here: the platform itself does not need it.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, run, runNpm, takeNoOptions } from '../../../local/toolchain.mjs'

takeNoOptions('npm run docs', 'Builds the manual as a site, in docs/site/dist. Takes no options.')
ensureInstalled()

const site = join(dirname(fileURLToPath(import.meta.url)), '../../../docs/site')

function isInstalled() {
  const present = join(site, 'node_modules/vitepress/package.json')
  if (!existsSync(present)) return false
  const { devDependencies } = JSON.parse(readFileSync(join(site, 'package.json'), 'utf8'))
  return JSON.parse(readFileSync(present, 'utf8')).version === devDependencies.vitepress
}

if (!isInstalled()) {
  console.log('installing the generator of the site (once) …')
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const status = runNpm(options, site)
  if (status !== 0 || !isInstalled()) {
    console.error('could not install the generator of the site: see the lines of npm above')
    process.exit(1)
  }
}
process.exit(run('node', [join(site, 'node_modules/vitepress/bin/vitepress.js'), 'build', site]))
