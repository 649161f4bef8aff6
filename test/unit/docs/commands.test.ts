import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { lackOf, shownCommands, snippetsOf } from '../../support/docs/snippets.ts'

/** All but the pages of packages, which a build of the site installs. */
const pages = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md'), ...globSync('engine/**/*.md')].filter(
  (page) => !page.includes('node_modules'),
)
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

describe('the pages', () => {
  it.each(pages)('%s names no command of npm that does not exist', (page) => {
    const text = readFileSync(page, 'utf8')
    const named = [...text.matchAll(/\bnpm run (?:--silent |-s )?([a-z][\w:-]*)/g)].map(([, name = '']) => name)

    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  })

  it.each(pages)('each JSON snippet of %s can be parsed, unless it leaves something out', (page) => {
    const broken = snippetsOf(page).filter(({ language, text }) => {
      if (language !== 'json' || text.includes('…')) return false
      try {
        JSON.parse(text)
        return false
      } catch {
        return true
      }
    })

    expect(broken.map(({ line }) => `line ${line}`)).toEqual([])
  })
})

describe('shown outputs', () => {
  it('an output matches if it has every shown member, even among others', () => {
    const actual = { a: 1, list: [{ id: 'x', name: 'call 7' }, { id: 'y' }], more: true }

    expect(lackOf({ a: 1, list: [{ id: 'x', name: 'call' }] }, actual)).toEqual([])
  })

  it("an output with another value or type, or without a shown member, is reported by the member's path", () => {
    expect(lackOf({ a: 1 }, { a: 2 })).toEqual(['.a'])
    expect(lackOf({ a: { b: 'x' } }, { a: { b: 'y' } })).toEqual(['.a.b'])
    expect(lackOf([{ b: 1 }], [])).toEqual([''])
    expect(lackOf({ a: [1] }, { a: 'no list' })).toEqual(['.a'])
  })

  it('only the commands of the requested section are read, with their line numbers', () => {
    const [first] = shownCommands('docs/hooks.md', 'Rehearse it')
    const lines = readFileSync('docs/hooks.md', 'utf8').split('\n')

    expect(lines[(first?.commands.line ?? 0) - 1]).toBe('```sh')
    expect(() => shownCommands('docs/hooks.md', 'No such section')).toThrow('has no section')
  })
})
