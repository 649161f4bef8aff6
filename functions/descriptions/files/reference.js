// The API reference: shows the description of the platform that serves this page, and can send each operation.
import { h, inline, rowsOf, table } from './elements.js'
import { operationView, resolve } from './operation.js'

const at = (id) => document.getElementById(id)
const load = async (path) => (await fetch(path)).text()
const [api, manual] = await Promise.all([load('openapi.json').then(JSON.parse), load('docs/errors.md')])
const errors = new Map(rowsOf(manual).map((row) => [row[0].replaceAll('`', ''), row]))

const order = ['logIn', 'logOut', 'whoAmI']
const rank = ({ operationId }) => (order.includes(operationId) ? order.indexOf(operationId) : order.length)
const withPath = (path, [method, each]) => ({ ...each, method: method.toUpperCase(), path })
const listed = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map((entry) => withPath(path, entry)),
)
const inGroup = (name) => listed.filter(({ tags }) => tags[0] === name).sort((a, b) => rank(a) - rank(b))
const purposes = new Map(api.tags.map(({ name, description }) => [name, description ?? name]))
const operations = [...purposes.keys()].flatMap(inGroup)

/** The login of this page. It lasts until the page is left. */
let login
const session = {
  headers: () => (login === undefined ? {} : { 'X-Key': login.key, 'X-Access-Token': login.token }),
  begin: (answer) => {
    login = answer
    at('who').textContent = `signed in as ${answer.username}`
  },
  end: () => {
    login = undefined
    at('who').textContent = 'Sign in'
  },
}

const stopWords = new Set(['a', 'an', 'the', 'of', 'to', 'in', 'for', 'and', 'or', 'is', 'it', 'how', 'do', 'i', 'my'])
const wordsOf = (text) => (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((word) => word.replace(/(?<=..)s$/, ''))
const names = (parts) => (parts ?? []).map((part) => resolve(api, part).name).join(' ')
const indexed = operations.map((each) => [
  [4, wordsOf(each.summary)],
  [3, wordsOf(purposes.get(each.tags[0]))],
  [2, wordsOf(`${each.path} ${each.operationId.replaceAll(/([A-Z])/g, ' $1')}`)],
  [1, wordsOf(`${each.description} ${names(each.parameters)}`)],
])

/** Returns the operations that a query is about, the best ones first; all of them for an empty one. */
function found(query) {
  const wanted = wordsOf(query).filter((word) => !stopWords.has(word))
  if (wanted.length === 0) return operations
  const fits = (word, each) => each === word || (word.length > 2 && each.startsWith(word))
  const score = (parts) =>
    wanted.flatMap((word) => parts.map(([worth, words]) => (words.some((each) => fits(word, each)) ? worth : 0)))
  const scored = operations.map((each, index) => [each, score(indexed[index]).reduce((sum, worth) => sum + worth, 0)])
  return scored
    .filter(([, worth]) => worth > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([each]) => each)
}

/** The name after `#`; what is not encoded well names nothing. */
function current() {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return ''
  }
}
const entry = ({ operationId, method, summary }) =>
  h(
    'li',
    {},
    h(
      'a',
      { href: `#${operationId}`, 'aria-current': operationId === current() && 'page' },
      h('b', { class: method }, method),
      summary,
    ),
  )

function showList() {
  const query = at('search').value
  const list = found(query)
  const groups =
    query.trim() === '' ? [...Map.groupBy(list, ({ tags }) => purposes.get(tags[0]))] : [[`${list.length} found`, list]]
  const sections = groups.map(([title, each]) => [h('h2', {}, title), h('ul', {}, ...each.map(entry))])
  const errorsLink = h('a', { href: '#errors' }, 'Errors')
  at('list').replaceChildren(...sections.flat(), h('h2', {}, errorsLink))
}

function overview() {
  const sentences = api.info.description.split(/(?<=\.) /)
  const groups = [...purposes].map(([name, purpose]) => ({
    cells: [h('a', { href: `#${inGroup(name)[0].operationId}` }, purpose), name],
  }))
  return [
    h('h1', {}, 'Callplane API'),
    ...sentences.map((sentence) => h('p', {}, ...inline(sentence))),
    h('p', {}, h('a', { href: '#logIn' }, 'POST /login'), ' signs this page in: every operation can then be sent.'),
    table('Groups of operations', ['Operations for', 'Group'], groups),
    h(
      'p',
      {},
      'For programs: ',
      h('a', { href: 'openapi.json' }, 'openapi.json'),
      ' and ',
      h('a', { href: 'asyncapi.json' }, 'asyncapi.json'),
      '.',
    ),
  ]
}

function errorsView() {
  const rows = [...errors].map(([name, [, status, cause, remedy]]) => ({
    id: `errors/${name}`,
    cells: [h('code', {}, name), status, inline(cause), inline(remedy)],
  }))
  const about = 'Every answer with a status of 400 or more has one shape: `code` is for programs, `info` for people.'
  return [
    h('h1', {}, 'Errors'),
    h('p', {}, ...inline(about)),
    table('Errors', ['Code', 'Status', 'Cause', 'Way out'], rows),
  ]
}

function show() {
  const name = current()
  const operation = operations.find(({ operationId }) => operationId === name)
  const view = operation === undefined ? (name.startsWith('errors') ? errorsView() : overview()) : undefined
  at('main').replaceChildren(...(view ?? operationView(api, operation, { session, errors })).filter(Boolean))
  showList()
  const row = at(name)
  row?.classList.add('here')
  if (row !== null) row.scrollIntoView({ block: 'center' })
  else scrollTo(0, 0)
  if (isNarrow.matches) at('list').parentElement.open = false
}

const isNarrow = matchMedia('(max-width: 800px)')
at('search').addEventListener('input', () => {
  at('list').parentElement.open = true
  showList()
})
addEventListener('hashchange', show)
show()
document.body.dataset.ready = 'true'
