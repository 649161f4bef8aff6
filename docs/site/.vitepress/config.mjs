/** The manual as a site: `npm run docs`. The pages are those of `docs`, as they are read on a code host. */

/** A page of the sidebar: its title and its file without the ending. */
const page = (text, name) => ({ text, link: `/${name}` })

const manual = [
  page('Quick start', 'quick-start'),
  page('Concepts', 'concepts'),
  page('Glossary', 'glossary'),
  page('Accounts and roles', 'accounts'),
  page('Tokens and second factor', 'tokens'),
  page('Calls', 'calls'),
  page('Default routes', 'routes'),
  page('Hooks', 'hooks'),
  page('Events', 'events'),
  page('CDR search', 'cdr-search'),
  page('Recordings', 'recordings'),
  page('Email settings', 'email'),
  page('Audit trail', 'audit'),
  page('Limits', 'limits'),
  page('Errors', 'errors'),
  page('Names that clients may set', 'settable-names'),
  page('From the earlier service', 'migration'),
]

const operation = [
  page('Attach an engine', 'attach'),
  page('Engine', 'engine'),
  page('Simulated engine', 'simulated-engine'),
  page('Engine behaviour', 'engine-behaviour'),
  page('Runbook', 'runbook'),
]

export default {
  title: 'Callplane',
  description: 'The manual of Callplane',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: '..',
  srcExclude: ['site/**', 'adr/**', 'design/**', 'ARCHITECTURE.md', 'data-model.md', 'faults.md'],
  outDir: './dist',
  cacheDir: './.vitepress/cache',
  rewrites: { 'README.md': 'index.md' },
  // Pages for engineers, and files next to `docs`, are read on a code host. `test/support/check-links.mjs` checks all links.
  ignoreDeadLinks: true,
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [page('Quick start', 'quick-start'), page('Errors', 'errors')],
    sidebar: [
      { text: 'Manual', items: manual },
      { text: 'Operation', items: operation },
    ],
  },
}
