import { expect, it } from 'vitest'
import { findProseMarkers, folderOf } from '../../support/find-prose-markers.ts'
import { proseMarkers } from '../../support/prose-markers.ts'

const markersOf = (text: string) =>
  findProseMarkers('a.ts', text, proseMarkers).map(({ line, marker }) => `${line} ${marker.name}`)

it.each([
  ['// the hook is told of the end', 'told, tells'],
  ['const toldOf = 1', 'told, tells'],
  ['function wasTold() {}', 'told, tells'],
  ['// the messages behind it', 'behind'],
  ['// nobody listened', 'nobody'],
  ['// whoever asks', 'whoever'],
  ['// in a file beside it', 'beside'],
  ['// what he has done', 'he, him, his'],
  ['/** What a list is made from. */', 'comment that begins with "What"'],
  ['/** Whose number it is. */', 'comment that begins in the middle'],
  ['// those of before', 'in vain, of before, in the place of'],
  ['interface ListTools {}', 'parts, tools'],
  ["  it('is refused', () => {", 'test title without a subject'],
  ["it.each(cases)('holds %s', () => {", 'test title without a subject'],
  ["])('of another domain is refused', () => {", 'test title without a subject'],
])('the text %j contains a marker of the dialect', (text, name) => {
  expect(markersOf(text)).toEqual([`1 ${name}`])
})

it.each([
  '/** Returns the account of a login. */',
  '// the hexadecimal digits of the hash',
  "it('a withdrawn command cannot be claimed', () => {",
  "it('isolated tenants see only their own calls', () => {",
  '// the queue lags behind the engine',
])('the text %j contains no marker of the dialect', (text) => {
  expect(markersOf(text)).toEqual([])
})

it('an allowed phrase hides only itself, and the same word elsewhere in the line is found', () => {
  expect(markersOf('// it lags behind, and this stands behind it')).toEqual(['1 behind'])
})

it('every marker of a text is found with its line', () => {
  expect(markersOf('// told\n\n// nobody, and nobody again')).toEqual(['1 told, tells', '3 nobody', '3 nobody'])
})

it('a file counts for the most specific folder, and for itself if no folder contains it', () => {
  expect(folderOf('core/hooks/definition/hook.ts', ['core', 'core/hooks'])).toBe('core/hooks')
  expect(folderOf('core/list.ts', ['core', 'core/hooks'])).toBe('core')
  expect(folderOf('README.md', ['core'])).toBe('README.md')
})
