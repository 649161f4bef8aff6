import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readmeCommands } from '../../support/docs/readme-commands.ts'
import site from '../../../docs/site/.vitepress/config.mjs'

const pages = globSync('*.md', { cwd: 'docs' }).filter((page) => page !== 'README.md')

it('the index of the manual links every page of docs', () => {
  const index = readFileSync('docs/README.md', 'utf8')

  expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([])
})

it('the sidebar of the site names every page that the site has, each once', () => {
  const pagesOfDocs = site.themeConfig.sidebar
    .flatMap(({ items }) => items)
    .filter(({ link }) => !link.endsWith('.html'))
  const links = pagesOfDocs.map(({ link }) => `${link.slice(1)}.md`)
  const served = pages.filter((page) => !site.srcExclude.includes(page))

  expect(links.toSorted()).toEqual(served.toSorted())
})

it('the picture of the README shows the commands of the README, and the output of each', () => {
  const picture = readFileSync('docs/pictures/terminal.svg', 'utf8')
  const lines = [...picture.matchAll(/<text [^>]*>(.*?)<\/text>/g)].map(([, line = '']) =>
    line.replaceAll(/<[^>]+>/g, ''),
  )
  const commands = lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2))

  expect(commands).toEqual(readmeCommands())
  expect(lines.length).toBeGreaterThan(2 * commands.length)
})
