import { expect, it } from 'vitest'
import { readAccountRows } from '../../../cli/input/account-rows.ts'

it('a row of an import has its fields, numbers, variables and parameters, and leaves empty cells out', () => {
  const text =
    'login,role,password,number,variable:default_language,parameter:vm-enabled\n1005,user,"a,b""c",1005;0049,de,\n'

  expect(readAccountRows(text, 'f')).toEqual([
    {
      line: 2,
      login: '1005',
      role: 'user',
      password: 'a,b"c',
      variables: ['default_language=de'],
      parameters: ['svc-extensions=1005,0049'],
    },
  ])
})

it('files of spreadsheets with a byte order mark, empty lines and Windows line ends are read', () => {
  const rows = readAccountRows('\uFEFFlogin,role\r\n1,user\r\n\r\n2,user\r\n', 'f')

  expect(rows.map(({ login }) => login)).toEqual(['1', '2'])
})

it.each([
  ['password\nx\n', /login among them/],
  ['login,colour\n1,red\n', /unknown column "colour"/],
  ['login,login\n1,1\n', /a column is there twice/],
  ['login,role\n1,user,more\n', /f: /],
  ['login\n"1\n', /f: /],
  [`login\n${'1\n'.repeat(10_001)}`, /10001 rows; at most 10000/],
])('a file that begins with %j is refused', (text, problem) => {
  expect(() => readAccountRows(text, 'f')).toThrow(problem)
})

it.each(['', 'a b', 'a@b', 'x'.repeat(65)])('the login %j is refused in its row', (login) => {
  expect(readAccountRows(`login,role\n"${login}",user\n`, 'f')[0]?.problem).toMatch(/login must be/)
})

it('a login that appears twice in an import, in any case of its letters, is refused in the later row', () => {
  const rows = readAccountRows('login\nanna\nAnna\n', 'f')

  expect(rows.map(({ problem }) => problem)).toEqual([undefined, 'line 2 has this login too'])
})

it('a number that two rows have is refused in the later one, and one row may name a number twice', () => {
  const rows = readAccountRows('login,number\nanna,201;201\nbert,202;201\n', 'f')

  expect(rows.map(({ problem }) => problem)).toEqual([undefined, 'line 2 has the number 201 too'])
})

it.each([
  ['  padded pw  ', '  padded pw  '],
  ['"  in quotes "', '  in quotes '],
  [' "after a blank" ', 'after a blank'],
  ['\tx\u00a0', '\tx\u00a0'],
])('the password of the cell %j is %j', (cell, password) => {
  const text = `\ufefflogin, password ,role\r\n 1005 ,${cell}, user \r\n\r\n1006, "x,y" ,user\r\n`

  expect(readAccountRows(text, 'f')).toMatchObject([
    { login: '1005', password, role: 'user' },
    { login: '1006', password: 'x,y', role: 'user' },
  ])
})

it('a cell of blanks alone is no password', () => {
  expect(readAccountRows('login,password\n1005,   \n', 'f')[0]).not.toHaveProperty('password')
})
