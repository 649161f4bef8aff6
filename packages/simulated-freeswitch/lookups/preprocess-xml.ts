/** The result of the engine's preprocessor. */
export interface PreprocessedXml {
  readonly text: string
  /** The directives that the document held, such as `exec` or `include`, each with its argument. */
  readonly directives: readonly Directive[]
}

/** An order to the preprocessor. The real engine obeys it; this model obeys only `set`. */
export interface Directive {
  readonly command: string
  readonly argument: string
}

/** The engine's limit for a line, in bytes; the byte after a longer piece is lost; the rest counts as a new line. */
const maxLine = 1_048_574

/**
 * Runs a document through the engine's XML preprocessor (`preprocess` in switch_xml.c), which reads every file and
 * every answer of a directory line by line before the XML parser sees it. A line is dropped when it contains `<?`,
 * `<include>` or `</include>`. A line that names `X-PRE-PROCESS`, in any case, is dropped or executed; `<!--#` begins a
 * directive or a comment; `$${name}` becomes the value of a global variable. `globals` are those variables; the
 * directive `set` changes them. `bytes` is byte text. The engine's accesses to foreign memory are not modelled.
 */
export function preprocessXml(bytes: string, globals: Map<string, string> = new Map()): PreprocessedXml {
  let text = ''
  let isInComment = false
  const directives: Directive[] = []
  const obey = (directive: Directive | undefined) => {
    if (directive === undefined) return
    directives.push(directive)
    if (directive.command.toLowerCase() === 'set') setGlobal(globals, directive.argument)
  }
  for (const line of linesOf(bytes)) {
    const { seen, expanded } = expand(line, globals)
    if (['<include>', '</include>', '<?'].some((mark) => seen.includes(mark))) continue
    const end = seen.indexOf('-->')
    if (isInComment && end < 0) continue
    const rest: string = isInComment ? seen.slice(end + 3) : expanded
    isInComment = false
    const at = rest.search(/x-pre-process/i)
    if (at >= 0) {
      if (rest[at - 1] === '<') obey(elementDirective(rest.slice(at)))
      continue
    }
    const comment = rest.indexOf('<!--#')
    if (comment < 0) {
      text += rest
      continue
    }
    const [inner = '', ...after]: string[] = rest.slice(comment).split('-->')
    text += rest.slice(0, comment) + after.join('-->')
    isInComment = after.length === 0
    obey(commentDirective(inner.slice('<!--#'.length)))
  }
  return { text, directives }
}

/** Lines end with a carriage return or a line feed, whichever comes first. A NUL hides the rest of a line. */
function* linesOf(bytes: string): Generator<string> {
  for (let from = 0; from < bytes.length; ) {
    const ends = /[\r\n]/g
    ends.lastIndex = from
    const end = ends.exec(bytes)?.index ?? bytes.length - 1
    const isTooLong = end - from + 1 > maxLine
    const to = isTooLong ? from + maxLine : end + 1
    yield bytes.slice(from, to).split('\0')[0] ?? ''
    from = isTooLong ? to + 1 : to
  }
}

/**
 * Replaces `$${name}`. The engine writes an end mark into the line while it reads the first name, so it looks for the
 * marks of dropped lines only before it: `seen`.
 */
function expand(line: string, globals: ReadonlyMap<string, string>): { seen: string; expanded: string } {
  let seen = line
  let expanded = ''
  for (let from = 0; ; ) {
    const at = line.indexOf('$${', from)
    if (at < 0) return { seen, expanded: expanded + line.slice(from) }
    expanded += line.slice(from, at)
    const end = closingBrace(line, at + 2)
    if (end < 0) {
      expanded += '$'
      from = at + 1
      continue
    }
    if (seen === line) seen = line.slice(0, end)
    expanded += globals.get(line.slice(at + 3, end)) ?? ''
    from = end + 1
  }
}

function closingBrace(line: string, open: number): number {
  let depth = 0
  for (let at = open; at < line.length; at += 1) {
    if (line[at] === '{') depth += 1
    else if (line[at] === '}') depth -= 1
    if (depth === 0) return at
  }
  return -1
}

/** `X-PRE-PROCESS cmd="set" data="name=value"/>`: read by searching for the next word, whatever is between. */
function elementDirective(element: string): Directive | undefined {
  const closed = element.indexOf('/>')
  const whole = closed < 0 ? element : element.slice(0, closed + 2)
  const [, command, rest = ''] = /cmd.*?=.*?"([^"]*)"(.*)/is.exec(whole) ?? []
  const [, argument] = /data.*?=.*?"([^"]*)/is.exec(rest) ?? []
  return command === undefined || argument === undefined ? undefined : { command, argument }
}

/** `set name=value`, where a quoted argument counts without its quotes. */
function commentDirective(inner: string): Directive | undefined {
  const [, command = '', argument] = /^([^ \r\n]*)(?: ([^\r\n]*))?/.exec(inner) ?? []
  if (argument === undefined) return undefined
  return { command, argument: /"([^"]*)"/.exec(argument)?.[1] ?? argument }
}

function setGlobal(globals: Map<string, string>, assignment: string): void {
  const [, name, value] = /^([^=]*?) *= *(.*)$/s.exec(assignment) ?? []
  if (name !== undefined && value !== undefined) globals.set(name, value)
}
