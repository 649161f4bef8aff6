// Makes the elements of the page. Texts become text nodes, never markup.

/** Makes an element. Members of `given` that begin with "on" are listeners, all others attributes. */
export function h(name, given = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value)
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : value)
  }
  element.append(...children.flat().filter((child) => child !== undefined))
  return element
}

const inlineParts = /`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)/g

/** Returns a line of Markdown as nodes: code, and links within the page; other links become their text. */
export function inline(text = '') {
  const nodes = []
  let end = 0
  for (const { 0: whole, 1: code, 2: label, 3: target, index } of text.matchAll(inlineParts)) {
    const link = () => (target.startsWith('#') ? h('a', { href: target }, label) : label)
    nodes.push(text.slice(end, index), code === undefined ? link() : h('code', {}, code))
    end = index + whole.length
  }
  return [...nodes, text.slice(end)]
}

/** A table that scrolls by itself where the window is narrow. `rows` hold lists of nodes, one for each cell. */
export function table(caption, heads, rows) {
  const head = h('tr', {}, ...heads.map((text) => h('th', { scope: 'col' }, text)))
  const body = rows.map(({ id, cells }) => h('tr', { id }, ...cells.map((cell) => h('td', {}, cell))))
  const whole = h('table', {}, h('thead', {}, head), h('tbody', {}, ...body))
  return h('div', { class: 'scrolls', role: 'region', 'aria-label': caption, tabindex: '0' }, whole)
}

/** A block of code that scrolls by itself. */
export const code = (text, label) => h('pre', { tabindex: '0', 'aria-label': label, role: 'region' }, text)

/** The rows of the first table of a Markdown text, as lists of cells. */
export function rowsOf(markdown) {
  const lines = markdown.split('\n').filter((line) => line.startsWith('| '))
  return lines.slice(1).map((line) =>
    line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.trim()),
  )
}
