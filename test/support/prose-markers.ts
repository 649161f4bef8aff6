/** A word or construction that plain English does without. */
export interface ProseMarker {
  readonly name: string
  readonly pattern: RegExp
  /** The reason, and the better way. */
  readonly advice: string
  /** Phrases in which the word is the right one, in lower case. */
  readonly allowed?: readonly string[]
}

/** Matches a word in prose and in names: `told`, `Told`, `toldOf` and `wasTold`. */
function word(...words: readonly string[]): RegExp {
  const either = words.join('|')
  const capitalized = words.map((each) => each.charAt(0).toUpperCase() + each.slice(1)).join('|')
  return new RegExp(`(?<![a-z])(?:${either})(?![a-z])|(?:${capitalized})(?![a-z])`, 'g')
}

/** Matches the beginning of a comment, also of one that stands on several lines. */
function commentStart(start: string): RegExp {
  return new RegExp(`^\\s*(?:/\\*\\*|//|\\*)\\s+(?:${start})`, 'g')
}

/** Matches the beginning of a test title. */
function titleStart(start: string): RegExp {
  return new RegExp(`^\\s*(?:(?:it|test)(?:\\.\\w+(?:\\(.*\\))?)*|\\]\\))\\(['"\`](?:${start})(?![\\w])`, 'g')
}

/**
 * The markers of the dialect that `npm run check` refuses. To add one, give its pattern and the better way; where the word
 * has an honest use, add that phrase to `allowed`.
 */
export const proseMarkers: readonly ProseMarker[] = [
  {
    name: 'told, tells',
    pattern: word('told', 'tells'),
    advice: 'say who does what: report, notify, publish, say, answer, distinguish',
    allowed: [
      'missing recordings are not told',
      'change made but not told',
      'tells apart',
      'the caller was told',
      'is told "',
      'tells a caller',
      // A field of notes on disk, which outlive a release.
      'isstarttold',
      // Earlier texts of the log, in the changelog.
      'could not be told what to send',
      'nottold',
    ],
  },
  {
    name: 'behind',
    pattern: word('behind'),
    advice: 'for time and order use after; for causes use because of; name the relation',
    allowed: [
      'lag behind',
      'lags behind',
      'behind the same gate',
      'waits behind',
      'wait behind',
      'behind a proxy',
      'write-behind',
      'writebehind',
    ],
  },
  {
    name: 'nobody',
    pattern: word('nobody'),
    advice: 'name the actor: "no connector", "no hook"; for a missing owner say "unowned" or "no account"',
    allowed: [
      "'nobody'",
      "'nobody@",
      "'nobody.",
      "'nobody=",
      ':nobody',
      'credential=nobody',
      'ofnobody',
      'cdr of nobody',
      'so that nobody',
      'nobody notices',
      'nobody sees',
      'nobody else holds',
      'while nobody runs',
      'name=nobody',
      'nobody: 401',
    ],
  },
  {
    name: 'whoever',
    pattern: word('whoever', 'whomever'),
    advice: 'name the actor, or say "the caller", "any client"',
  },
  {
    name: 'beside',
    pattern: word('beside'),
    advice: 'say "next to" or "together with" for a place, "as well as" or "except" otherwise',
    allowed: ['a write beside the request'],
  },
  {
    name: 'he, him, his',
    pattern: /(?<![a-z-])(?:he|him|his)(?![a-z-])/gi,
    advice: 'a caller, a user and a process are "it" or "they"',
  },
  {
    name: 'comment that begins with "What"',
    pattern: commentStart('What'),
    advice: 'begin with a verb ("Returns …") or a noun phrase ("A recording and where it is stored.")',
  },
  {
    name: 'comment that begins in the middle',
    pattern: commentStart('Whose|Of |Whom|Whether what|That |Whither|Whence'),
    advice: 'begin with a verb or a noun phrase',
    allowed: ['that is why', 'that way', 'that would', 'that makes'],
  },
  {
    name: 'in vain, of before, in the place of',
    pattern:
      /\b(?:in vain|of before|in (?:the|its|their) place of|to (?:its|their) mind|comes? to nothing|came to nothing|that is none)\b/gi,
    advice: 'say "without effect" or "failed", "earlier", "instead of", "invalid", "has no"',
    allowed: ['of before.'],
  },
  {
    name: 'heed, befall, foresight',
    pattern: word('heed', 'heeds', 'heeded', 'befall', 'befalls', 'befell', 'bury', 'buries', 'foresight'),
    advice: 'use the established term: read, happen, record, prefetch',
  },
  {
    name: 'parts, tools',
    pattern: /\b[A-Z]\w*(?:Parts|Tools)\b/g,
    advice: 'a bag of dependencies is called XDeps',
    allowed: ['listmultipartuploadparts', 'clauseparts', 'legparts', 'outcomeparts', 'signedparts'],
  },
  {
    name: 'test title without a subject',
    pattern: titleStart(
      [
        'is|are|was|were|has|have|had|does|do|can|cannot|may|must|will|would',
        'that|which|whose|who|what|where|whether|if|how|why|because|unless|until|since|so|but|and|or|not',
        'of|by|for|from|to|with|without|into|out|under|over|through|between|also|even',
        'holds?|keeps?|gives?|takes?|goes|go|gets?|leaves?|makes?|says?|needs?|reads?|writes?|sends?|ends?|begins?',
        'stops?|waits?|asks?|answers?|refuses?|accepts?|returns?|shows?|lists?|finds?|comes?|stays?',
        'passes|closes|changes|removes|deletes?|creates?|adds?|throws?|fails?|looks?|knows?|loses?|turns?',
        'becomes?|belongs?|reaches|carries|follows|fits?|means?|sees?|puts?|lets?|costs?|lasts?|tries|drops?|skips?',
        'matches|judges|cuts?|tells?|lives?|remains?|opens?|rejects?|ignores?|reports?|allows?|declares?|logs?|stores?',
      ].join('|'),
    ),
    advice: 'write a whole sentence that a stranger understands without the describe',
  },
]
