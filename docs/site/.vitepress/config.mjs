/** The manual as a site: `npm run docs`. The pages are those of `docs`, as they are read on a code host. */
import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const docs = resolve(import.meta.dirname, '../..')

/** Pages for engineers, who read them on a code host. */
const excluded = ['site/**', 'adr/**', 'design/**', 'ARCHITECTURE.md', 'data-model.md', 'faults.md']

/** A page of the sidebar: its title and its file without the ending. */
const page = (text, name) => ({ text, link: `/${name}` })

/** The reference is no page of this generator: a build copies it from the platform. */
const reference = { text: 'API reference', link: '/api/reference.html', target: '_self' }

const manual = [
  page('Quick start', 'quick-start'),
  reference,
  page('Client for programs', 'client'),
  page('Concepts', 'concepts'),
  page('Glossary', 'glossary'),
  page('Accounts and roles', 'accounts'),
  page('Tokens and second factor', 'tokens'),
  page('Calls', 'calls'),
  page('Default routes', 'routes'),
  page('Gateways', 'gateways'),
  page('Hooks', 'hooks'),
  page('Events', 'events'),
  page('CDR search', 'cdr-search'),
  page('Recordings', 'recordings'),
  page('Personal data', 'personal-data'),
  page('Email settings', 'email'),
  page('Audit trail', 'audit'),
  page('Limits', 'limits'),
  page('Errors', 'errors'),
  page('Names that clients may set', 'settable-names'),
  page('Command line', 'cli'),
  page('A domain as code', 'domain-as-code'),
  page('From the earlier service', 'migration'),
  page('Changelog', 'changelog'),
]

const operation = [
  page('Operate a tenant', 'operate'),
  page('A local run', 'local-run'),
  page('Attach an engine', 'attach'),
  page('Engine', 'engine'),
  page('Simulated engine', 'simulated-engine'),
  page('Engine behaviour', 'engine-behaviour'),
  page('Deploy, restore, remove', 'deploy'),
  page('Costs', 'cost'),
  page('Scale', 'scale'),
  page('Regions', 'regions'),
  page('Runbook', 'runbook'),
]

/** Returns whether a link of a page leads to another site, to a heading of the page, or to a page of this site. */
function isServed(href, page) {
  if (/^(?:[a-z]+:|#)/.test(href)) return true
  const file = relative(docs, join(dirname(page), href.split('#')[0]))
  if (!file.endsWith('.md') || file.startsWith('..') || !existsSync(join(docs, file))) return false
  return !excluded.some((pattern) => file === pattern || file.startsWith(pattern.replace('**', '')))
}

/** A page that includes a file next to `docs`: the links of that file begin there. */
const ofRoot = (href) => href.replace(/^(?:\.\.\/)?docs\//, '')

/** Shows a link to a file that is no page of the site as its text alone. */
function withoutLinksToFiles(md) {
  md.core.ruler.push('links_to_files', ({ tokens, env }) => {
    for (const { children } of tokens) {
      let isText = false
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const href = ofRoot(token.attrGet('href')).replace('../client/README.md', 'client.md')
          isText = !isServed(href, env.path)
          token.attrSet('href', href.replace(/^README\.md/, 'index.md'))
        }
        if (isText && token.type.startsWith('link_'))
          Object.assign(token, { type: token.type.replace('link', 'span'), tag: 'span', attrs: null })
      }
    }
  })
}

/** The generator writes these functions into the pages as text: they can use nothing from outside of themselves. */
const search = {
  miniSearch: {
    options: {
      processTerm: (term) => {
        const word = term.toLowerCase().replace(/(?<=..)s$/, '')
        const isFiller = /^(?:a|an|the|of|to|in|on|for|and|or|is|it|be|as|how|do|i|my|with)$/.test(word)
        return isFiller ? null : word
      },
    },
    searchOptions: {
      fuzzy: 0.1,
      prefix: (term) => term.length >= 3,
      boost: { title: 6, text: 2, titles: 3 },
    },
  },
  // What changed once is no answer to how something is done.
  _render: (source, env, md) => (env.relativePath === 'changelog.md' ? '' : md.render(source, env)),
}

export default {
  title: 'Callplane',
  description: 'The manual of Callplane',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: '..',
  srcExclude: excluded,
  outDir: './dist',
  cacheDir: './.vitepress/cache',
  rewrites: { 'README.md': 'index.md' },
  ignoreDeadLinks: [/\/api\/reference/],
  markdown: {
    config: withoutLinksToFiles,
    // Each colour has a contrast of 4.5 : 1 or more.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    search: { provider: 'local', options: search },
    outline: [2, 3],
    nav: [page('Quick start', 'quick-start'), reference, page('Errors', 'errors')],
    sidebar: [
      { text: 'Manual', items: manual },
      { text: 'Operation', items: operation },
    ],
  },
}
