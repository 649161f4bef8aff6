import type { Finding } from './check-engine.ts'
import { type Element, isTrue, paramLine } from './engine-configuration.ts'

const platformFile = 'platform.xml (xml_curl.conf.xml)'

/** Returns what is wrong with the lookup of accounts at the platform. */
export function findingsOfDirectory(bindings: readonly Element[], sofia: Element | undefined): Finding[] {
  const binding = bindingOf(bindings, 'directory')
  if (binding === undefined) {
    const url = '<platform>/engine/directory?cache=until-flushed'
    return [missingBinding('accounts are not looked up at the platform', url, 'directory')]
  }
  const found = findingsOfBinding(binding, 'directory')
  return [...found, ...findingsOfCache(binding.parameters.get('gateway-url') ?? '', sofia)]
}

/** Returns what is wrong with the lookup of routes at the platform. */
export function findingsOfRoutes(bindings: readonly Element[]): Finding[] {
  const binding = bindingOf(bindings, 'dialplan')
  if (binding !== undefined) return findingsOfBinding(binding, 'dialplan')
  const problem = 'default routes and blacklists rule no call: the platform is not asked for the route of calls'
  return [missingBinding(problem, '<platform>/engine/dialplan', 'dialplan')]
}

type Section = 'directory' | 'dialplan'

function bindingOf(bindings: readonly Element[], section: Section): Element | undefined {
  const url = new RegExp(`/engine/${section}(?:\\?|$)`)
  return bindings.find((one) => url.test(one.parameters.get('gateway-url') ?? ''))
}

function missingBinding(problem: string, url: string, section: Section): Finding {
  return { file: platformFile, problem, line: `<param name="gateway-url" value="${url}" bindings="${section}"/>` }
}

function findingsOfBinding(binding: Element, section: Section): Finding[] {
  const file = platformFile
  const found: Finding[] = []
  if (!binding.parameterAttribute('gateway-url', 'bindings').split('|').includes(section)) {
    const problem = `the binding of /engine/${section} asks for something else than the ${section}`
    found.push({ file, problem, line: `bindings="${section}" in the line of gateway-url` })
  }
  if (!/^engine:./.test(binding.parameters.get('gateway-credentials') ?? '')) {
    const problem = 'lookups are not made as the user engine with the engine credential'
    found.push({ file, problem, line: paramLine('gateway-credentials', 'engine:<credential>') })
  }
  const timeout = Number(binding.parameters.get('timeout') ?? '0')
  if (!(timeout >= 1 && timeout <= 5)) {
    const problem = `a ${section === 'directory' ? 'phone' : 'call'} waits more than 5 s, or without end, for a platform that does not answer`
    found.push({ file, problem, line: paramLine('timeout', '2') })
  }
  return found
}

/** Phones of an engine that keeps answers are registered under full names, which needs one more setting. */
function findingsOfCache(url: string, sofia: Element | undefined): Finding[] {
  const setting = 'reg-deny-binding-fetch-and-no-lookup'
  const keeps = new URL(url, 'http://platform.invalid').searchParams.has('cache')
  if (!keeps) {
    const problem = 'no answer is kept: phones can neither register nor call while the platform is away'
    return [
      { file: 'platform.xml (xml_curl.conf.xml)', problem, line: '?cache=until-flushed at the end of gateway-url' },
    ]
  }
  if (isTrue(sofia?.child('global_settings').parameters.get(setting))) return []
  const problem = 'answers are kept, but phones would not receive their contact when they register'
  return [{ file: 'sip.xml (sofia.conf.xml), global_settings', problem, line: paramLine(setting, 'true') }]
}
