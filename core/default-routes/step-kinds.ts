/** The kinds of callflow steps, by the contract's list. */
export const stepKinds: ReadonlySet<string> = new Set([
  'if',
  'switch',
  'menu',
  'answer',
  'bridge',
  'queue',
  'playback',
  'ringback',
  'setSounds',
  'recordSession',
  'recordFile',
  'hangup',
  'goto',
  'park',
  'pickup',
  'conference',
  'voicemail',
  'sleep',
  'schedule',
  'setVar',
  'setArray',
  'setProfileVar',
  'exportVars',
  'unSet',
  'setUser',
  'findUser',
  'userData',
  'httpRequest',
  'sendEmail',
  'receiveFax',
  'sendEvent',
  'calendar',
  'callback',
  'member',
  'agent',
  'blackList',
  'cache',
  'cdr',
  'exists',
  'math',
  'string',
  'log',
  'tts',
  'stt',
  'amd',
  'inBandDTMF',
  'flushDTMF',
  'eavesdrop',
  'echo',
  'originate',
  'sipRedirect',
  'script',
  'js',
])

/** Kinds that run a program: they need the whole permission and the deployment's switch. */
export const scriptKinds: ReadonlySet<string> = new Set(['js', 'script'])

/** The members of a menu. */
export const menuMembers: readonly string[] = ['sound', 'tone', 'digits', 'timeout', 'tries', 'invalid']

/** The paths to nested callflows in the arguments of steps, by kind. `if`, `switch` and `menu` have their own rules. */
export const nestedCallflows: ReadonlyMap<string, readonly string[]> = new Map([
  ['blackList', ['actions']],
  ['queue', ['timer', 'actions']],
  ['originate', ['actions']],
])
