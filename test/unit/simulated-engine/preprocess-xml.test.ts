import { expect, test } from 'vitest'
import { preprocessXml } from '../../../packages/simulated-freeswitch/lookups/preprocess-xml.ts'

const textOf = (document: string, globals?: Map<string, string>) => preprocessXml(document, globals).text

test.each([
  ['an XML declaration', '<?xml version="1.0"?><a/>\n<b/>\n'],
  ['an opening include tag', '<a/><include>\n<b/>\n'],
  ['a closing include tag', '<a/></include>\n<b/>\n'],
  ['the words X-PRE-PROCESS outside of a tag', '<a v="x-Pre-Process"/>\n<b/>\n'],
  ['a directive as an element', '<a/><X-PRE-PROCESS cmd="nothing" data="x"/><a/>\n<b/>\n'],
])('a line with %s is dropped as a whole, and no other', (_what, document) => {
  expect(textOf(document)).toBe('<b/>\n')
})

test('a document in one line that begins with an XML declaration is empty after preprocessing', () => {
  expect(textOf('<?xml version="1.0"?><document><section name="directory"/></document>')).toBe('')
})

test('a line of a preprocessed document ends at a carriage return as well as at a line feed', () => {
  expect(textOf('<?a?>\r<b/>\r\n<c/>')).toBe('<b/>\r\n<c/>')
})

test('the names of directives are case-sensitive, so <INCLUDE> is kept', () => {
  expect(textOf('<INCLUDE>\n')).toBe('<INCLUDE>\n')
})

test('the text before and after a directive in a comment is kept', () => {
  expect(preprocessXml('<a/><!--#set "x=1"--><b/>\n')).toEqual({
    text: '<a/><b/>\n',
    directives: [{ command: 'set', argument: 'x=1' }],
  })
})

test('an unclosed directive comment drops the lines up to its end', () => {
  expect(textOf('<a/><!--#exec id\n<b/>\n<c/>--><d/>\n<e/>\n')).toBe('<a/><d/>\n<e/>\n')
})

test('an ordinary comment is left for the parser', () => {
  expect(textOf('<!-- a -->\n')).toBe('<!-- a -->\n')
})

test('a directive is read from an element whatever is between its words', () => {
  const { directives } = preprocessXml(
    '<X-PRE-PROCESS cmd="exec" data="id"/>\n<x-pre-process cmd = "include" data= "a.xml"/>\n',
  )

  expect(directives).toEqual([
    { command: 'exec', argument: 'id' },
    { command: 'include', argument: 'a.xml' },
  ])
})

test('a global variable is replaced by its value, and an unset one by nothing', () => {
  expect(textOf('a$${x}b$${y}c$${z\n', new Map([['x', '1']]))).toBe('a1bc$${z\n')
})

test('a directive that sets a variable applies to the lines after it', () => {
  expect(textOf('<X-PRE-PROCESS cmd="set" data="x = 7"/>\n$${x}\n')).toBe('7\n')
})

test('a variable of the call is not replaced by the preprocessor', () => {
  expect(textOf('${dialed_user}$${${a}}\n')).toBe('${dialed_user}\n')
})

test('comment marks in dropped text after an expanded variable are ignored', () => {
  expect(textOf('$${x}<?a?>\n', new Map([['x', '1']]))).toBe('1<?a?>\n')
})

test('a NUL hides the rest of its line', () => {
  expect(textOf('<a/>\0<b/>\n<c/>\n')).toBe('<a/><c/>\n')
})

test('a line above the maximum length loses one byte, and its rest counts as the next line', () => {
  const limit = 'x'.repeat(1_048_574)

  expect(textOf(`${limit}y<?a?>\n<b/>`) === `${limit}<b/>`).toBe(true)
})
