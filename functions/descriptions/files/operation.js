// Shows one operation: its fields, a form that sends it, its answer and its errors.
import { code, h, inline, table } from './elements.js'

/** Members of answers that are secrets, or hold them by names: the page shows them only on demand. */
const secret = /^(?:token|key|secrets?|exampleSecret|password|pass|uri|.*-password)$/
const hidden = '••••••••'
const masked = (value) =>
  Object(value) === value ? Object.fromEntries(Object.keys(value).map((name) => [name, hidden])) : hidden

export const jsonText = (value, reveal = true) =>
  JSON.stringify(value, (name, each) => (!reveal && secret.test(name) && each !== '' ? masked(each) : each), 2)

const typedSecret = /("(?:token|secret|pass|[^"\n]*password)"\s*:\s*)(?:"(?:[^"\\]|\\.)+"?|[^\s",{}[\]]+)/gis

/** Hides the secrets of a body, which may be half typed. */
export const withoutSecrets = (body) => body.replaceAll(typedSecret, `$1"${hidden}"`)

/** Returns what a reference of the description leads to; anything else stays. */
export function resolve(api, value) {
  return value?.$ref === undefined
    ? value
    : value.$ref
        .split('/')
        .slice(1)
        .reduce((at, part) => at[part], api)
}

function typeOf(api, schema) {
  const { type, items, enum: values, const: only, anyOf, oneOf } = resolve(api, schema) ?? {}
  if (only !== undefined) return JSON.stringify(only)
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (anyOf !== undefined || oneOf !== undefined) return (anyOf ?? oneOf).map((one) => typeOf(api, one)).join(' | ')
  return type === 'array' ? `list of ${typeOf(api, items)}` : [type ?? 'any'].flat().join(' | ')
}

/** The fields of a schema as a list, those of nested objects below their own. */
function fields(api, given, depth = 0) {
  const schema = resolve(api, given) ?? {}
  const inner = schema.properties ?? resolve(api, schema.items)?.properties
  const required = schema.required ?? resolve(api, schema.items)?.required ?? []
  if (inner === undefined || depth > 4) return undefined
  const items = Object.entries(inner).map(([name, member]) => {
    const note = required.includes(name) ? ', required' : ''
    const about = resolve(api, member)?.description
    const line = [h('code', {}, name), h('small', {}, ` ${typeOf(api, member)}${note} `), ...inline(about)]
    return h('li', {}, ...line, fields(api, member, depth + 1))
  })
  return h('ul', { class: 'fields' }, ...items)
}

function parameterTable(api, parameters) {
  if (parameters.length === 0) return undefined
  const rows = parameters.map((given) => {
    const { name, in: where, required, description, schema, example } = resolve(api, given)
    const value = where === 'path' ? (example ?? '') : ''
    const input = h('input', { name, 'data-in': where, 'aria-label': name, required, value, autocomplete: 'off' })
    const type = h('small', {}, `${typeOf(api, schema)}, ${where}${required ? ', required' : ''}`)
    return { cells: [[h('code', {}, name), h('br'), type], input, inline(description)] }
  })
  return table('Parameters', ['Parameter', 'Value', 'Meaning'], rows)
}

/** Returns the request that a form stands for; its credential is not among the headers. */
function requestOf({ method, path }, form) {
  const inputs = [...form.querySelectorAll('[data-in]')].filter(({ value }) => value !== '')
  const of = (where) => inputs.filter(({ dataset }) => dataset.in === where).map(({ name, value }) => [name, value])
  const target = of('path').reduce((at, [name, value]) => at.replace(`{${name}}`, encodeURIComponent(value)), path)
  const query = new URLSearchParams(of('query')).toString()
  const body = form.elements.body?.value
  const type = form.elements.body?.dataset.type
  const headers = { ...Object.fromEntries(of('header')), ...(body ? { 'Content-Type': type } : {}) }
  return { method, path: query === '' ? target : `${target}?${query}`, headers, ...(body ? { body } : {}) }
}

/** The request as a line for a shell. The headers of the credential come from the file of the quick start. */
function curlOf({ method, path, headers, body }, isOpen) {
  const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`
  const named = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  const how = method === 'HEAD' ? ['-I'] : method === (body === undefined ? 'GET' : 'POST') ? [] : [`-X ${method}`]
  const address = quoted(new URL(path.slice(1), document.baseURI).href)
  const parts = [
    ...how,
    ...(isOpen ? [] : ['-H @.data/headers']),
    ...named,
    ...(body ? [`-d ${quoted(withoutSecrets(body))}`] : []),
  ]
  return `curl -s ${address} ${parts.join(' ')}`.trim()
}

async function send(request, session, show) {
  const began = performance.now()
  const response = await fetch(request.path.slice(1), {
    ...request,
    headers: { ...request.headers, ...session.headers() },
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  const body = isJson && text !== '' ? JSON.parse(text) : text
  if (request.path === '/login' && response.ok) session.begin(body)
  if (request.path === '/logout' && response.ok) session.end()
  show({ response, body, isJson, milliseconds: Math.round(performance.now() - began) })
}

function shownAnswer({ response, body, isJson, milliseconds }) {
  const text = (reveal) => (isJson ? jsonText(body, reveal) : body) || 'no body'
  const block = code(text(false), 'Body of the answer')
  const reveal = h('input', { type: 'checkbox', onchange: ({ target }) => (block.textContent = text(target.checked)) })
  const hasSecret = isJson && text(true) !== text(false)
  const status = h('strong', { class: response.ok ? 'good' : 'bad' }, `${response.status} ${response.statusText}`)
  const id = response.headers.get('x-request-id')
  return [
    h('p', {}, status, ` in ${milliseconds} ms`, id === null ? undefined : h('small', {}, `, request ${id}`)),
    block,
    hasSecret ? h('label', {}, reveal, ' show tokens and passwords') : undefined,
  ]
}

/** The form that sends an operation, with the same as a line for a shell. */
function tryForm(api, operation, session) {
  const [[type, content] = []] = Object.entries(operation.requestBody?.content ?? {})
  const example = content?.example === undefined ? '' : jsonText(content.example)
  const rows = Math.min(14, example.split('\n').length + 1)
  const body = h('textarea', { name: 'body', rows, 'data-type': type, 'aria-label': 'Body', spellcheck: 'false' })
  body.value = example
  const curl = code('', 'The same with curl')
  const result = h('div', { class: 'result', 'aria-live': 'polite' })
  const isOpen = (operation.security ?? []).length === 0
  const refresh = () => (curl.textContent = curlOf(requestOf(operation, form), isOpen))
  const submit = async (event) => {
    event.preventDefault()
    result.replaceChildren('sending …')
    const show = (answer) => result.replaceChildren(...shownAnswer(answer).filter((node) => node !== undefined))
    await send(requestOf(operation, form), session, show).catch(({ message }) => result.replaceChildren(message))
  }
  const about = fields(api, content?.schema)
  const form = h(
    'form',
    { onsubmit: submit, oninput: refresh },
    parameterTable(api, operation.parameters ?? []),
    type === undefined ? undefined : [h('h3', {}, 'Body'), h('small', {}, type), body],
    about === undefined ? undefined : h('details', {}, h('summary', {}, 'Fields of the body'), about),
    h('button', { class: 'send' }, `Send ${operation.method}`),
    result,
    curl,
  )
  refresh()
  return form
}

function answers(api, { responses }) {
  return Object.entries(responses).flatMap(([status, given]) => {
    const [[type, content] = []] = Object.entries(given.content ?? {})
    if (given.$ref !== undefined) return []
    const about = fields(api, content?.schema)
    return [
      h('h3', {}, `Answer ${status}`, h('small', {}, type === undefined ? '' : ` ${type}`)),
      content?.example === undefined ? undefined : code(jsonText(content.example), `Example of the answer ${status}`),
      about === undefined ? undefined : h('details', {}, h('summary', {}, 'Fields of the answer'), about),
    ]
  })
}

/** Returns everything about an operation. `errors` are the rows of the manual's page, by their codes. */
export function operationView(api, operation, { session, errors }) {
  const refusals = Object.values(operation.responses).filter(({ $ref }) => $ref !== undefined)
  const codes = refusals.flatMap((given) => resolve(api, given).description.replaceAll('`', '').split(', '))
  const rows = codes.map((name) => {
    const [, status = '', cause, remedy] = errors.get(name) ?? []
    return { cells: [h('a', { href: `#errors/${name}` }, name), status, inline(cause), inline(remedy)] }
  })
  return [
    h('h1', {}, operation.summary),
    h('p', { class: 'path' }, h('b', { class: operation.method }, operation.method), h('code', {}, operation.path)),
    h('p', {}, ...inline(operation.description)),
    h('h2', {}, 'Try it'),
    tryForm(api, operation, session),
    h('h2', {}, 'Answers'),
    ...answers(api, operation),
    ...(rows.length === 0
      ? []
      : [h('h2', {}, 'Errors'), table('Errors', ['Code', 'Status', 'Cause', 'Way out'], rows)]),
  ]
}
