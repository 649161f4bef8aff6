import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import site from '../../../docs/site/.vitepress/config.mjs'

const pages = globSync('*.md', { cwd: 'docs' }).filter((page) => page !== 'README.md')

it('the index of the manual links every page of docs', () => {
  const index = readFileSync('docs/README.md', 'utf8')

  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([])
})

it('the sidebar of the site names every page that the site has, each once', () => {
  const links = site.themeConfig.sidebar.flatMap(({ items }) => items.map(({ link }) => `${link.slice(1)}.md`))
  const served = pages.filter((page) => !site.srcExclude.includes(page))

  expect(links.toSorted()).toEqual(served.toSorted())
})
