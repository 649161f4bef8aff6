// `npm run docs`: the manual as a site in docs/site/dist. Its generator is installed next to its configuration, and
// only here: the platform itself does not need it.
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, run, runNpm, takeNoOptions } from '../../../local/toolchain.mjs'

const isOpened = process.argv.includes('--open')
if (isOpened) process.argv.splice(process.argv.indexOf('--open'), 1)
takeNoOptions('npm run docs', 'Builds the manual as a site, in docs/site/dist. -- --open also serves it, until Ctrl-C.')
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
/** The reference of the platform, which nothing answers here: it shows all and sends nothing. */
function copyReference() {
  const from = join(site, '../../functions/descriptions/files')
  const to = join(site, 'dist/api')
  cpSync(from, join(to, 'docs'), { recursive: true })
  cpSync(join(site, '../errors.md'), join(to, 'docs/errors.md'))
  cpSync(join(site, '../api/openapi.json'), join(to, 'openapi.json'))
  const page = readFileSync(join(from, 'reference.html'), 'utf8')
  writeFileSync(join(to, 'reference.html'), page.replace('<body>', '<body class="shown-only">'))
}

const vitepress = (...words) => run('node', [join(site, 'node_modules/vitepress/bin/vitepress.js'), ...words])
const status = vitepress('build', site)
if (status !== 0) process.exit(status)
copyReference()
console.log(`the manual is in ${relative(process.cwd(), join(site, 'dist'))}`)
if (isOpened) vitepress('preview', site)
else console.log('npm run docs -- --open serves it')
