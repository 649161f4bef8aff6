// `npm run docs`: the manual as a site in docs/site/dist. Its generator is installed next to its configuration, and only here: the
// platform itself does not need it.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureInstalled, run, takeNoOptions } from '../../../local/toolchain.mjs'

takeNoOptions('npm run docs', 'Builds the manual as a site, in docs/site/dist. Takes no options.')
ensureInstalled()

const site = join(import.meta.dirname, '../../../docs/site')

function isInstalled() {
  const present = join(site, 'node_modules/vitepress/package.json')
  if (!existsSync(present)) return false
  const { devDependencies } = JSON.parse(readFileSync(join(site, 'package.json'), 'utf8'))
  return JSON.parse(readFileSync(present, 'utf8')).version === devDependencies.vitepress
}

if (!isInstalled()) {
  console.log('installing the generator of the site (once) …')
  const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', options, { cwd: site, stdio: 'inherit' })
  if (status !== 0 || !isInstalled()) {
    console.error('could not install the generator of the site: see the lines of npm above')
    process.exit(1)
  }
}
process.exit(run('node', [join(site, 'node_modules/vitepress/bin/vitepress.js'), 'build', site]))
