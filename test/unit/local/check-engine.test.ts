import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkEngine } from '../../../local/engine-check/check-engine.ts'

/** The configuration of the kit as an engine has read it, changed by `change`. */
function kitConfiguration(change: (text: string) => string): string {
  const folder = join(process.cwd(), 'engine/conf')
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  const text = files.join('\n').replaceAll(/<!--[^]*?-->/g, '')
  const values = new Map(
    [...text.matchAll(/cmd="set" data="(\w+)=([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )
  const filled = (value: string): string =>
    value.replaceAll(/\$\$\{(\w+)\}/g, (_, name: string) => filled(values.get(name) ?? 'some-value'))
  return change(filled(text))
}

const mailboxes = (name: string) =>
  [name, 'pins'].map((file) => readFileSync(join(process.cwd(), `engine/conf/mailbox-${file}.xml`), 'utf8')).join('')

/** An engine that answers as a real one does (`api/response` of xml_locate, module_exists and so on). */
function anEngine(
  change: (text: string) => string = (text) => text,
  answers: Readonly<Record<string, string>> = {},
  sounds = mailboxes('tones'),
) {
  const text = kitConfiguration(change)
  const loaded = new Set([...text.matchAll(/<load module="(\w+)"/g)].map(([, name]) => name))
  const asked: string[] = []
  const ask = async (command: string): Promise<string> => {
    asked.push(command)
    const given = answers[command]
    if (given !== undefined) return given
    const [verb, ...words] = command.split(' ')
    if (verb === 'module_exists') return String(loaded.has(words[0]))
    if (verb === 'strepoch') return `${Math.round(Date.now() / 1_000)}`
    if (words[0] === 'contact_mark') return 'c0ffee'.padEnd(32, '0')
    if (verb === 'global_getvar')
      return new RegExp(`cmd="set" data="${words[0]}=([^"]*)"`).exec(text)?.[1] ?? '-ERR no reply\n'
    if (verb === 'file_exists' || verb === 'user_exists') return 'true'
    if (verb === 'sofia') return '                   phones\tprofile\tsip:mod_sofia@127.0.0.1:5060\tRUNNING (0)\n'
    const name = words.at(-1) ?? ''
    const tag = { dialplan: 'context', languages: 'language' }[words[0] ?? ''] ?? 'configuration'
    const found = new RegExp(`<${tag} name="${name.replaceAll('.', '[.]')}"[^>]*>[^]*?</${tag}>`).exec(text)
    // The test has no preprocessor, which puts the sounds of the mailboxes there.
    if (tag === 'language' && found !== null) return `${found[0]}${sounds}`
    return found?.[0] ?? "can't find anything\n"
  }
  return { ask, asked }
}

const options = { password: 's3cr3t-of-the-socket' }
const linesOf = async (...engine: Parameters<typeof anEngine>) =>
  (await checkEngine(anEngine(...engine).ask, options)).map(({ line }) => line)

describe('the check of an engine', () => {
  it.each([
    [900, 'the clock of the engine is 900 s ahead of this machine'],
    [-900, 'the clock of the engine is 900 s behind this machine'],
  ])('the check names an engine whose clock is off by %i s', async (off, problem) => {
    const { ask } = anEngine(undefined, { strepoch: `${Math.round(Date.now() / 1_000) + off}` })

    const found = (await checkEngine(ask, options)).map((finding) => finding.problem)
    expect(found).toEqual([expect.stringMatching(new RegExp(problem.replace('900', '(?:899|90[01])')))])
  })

  it('the check finds nothing wrong with the configuration of the kit, and only reads', async () => {
    const { ask, asked } = anEngine()

    expect(await checkEngine(ask, { ...options, account: { login: '1000', domain: 'demo.example.com' } })).toEqual([])
    expect(
      asked.filter(
        (line) =>
          !/^(?:global_getvar [a-z_]+$|strepoch$|module_exists|xml_locate|sofia status|file_exists|user_exists)/.test(
            line,
          ),
      ),
    ).toEqual([])
  })

  it.each([
    ['a module that is not loaded', /<load module="mod_json_cdr"\/>/, '', '<load module="mod_json_cdr"/>'],
    ['an event socket on all addresses', 'value="127.0.0.1"', 'value="0.0.0.0"', 'name="listen-ip"'],
    ['an event socket without a list of networks', /<param name="apply-inbound-acl".*/, '', 'name="apply-inbound-acl"'],
    ['lookups somewhere else', '/engine/directory?', '/other?', 'name="gateway-url"'],
    ['lookups without the credential', /<param name="gateway-credentials".*/, '', 'name="gateway-credentials"'],
    ['lookups without a timeout', /<param name="timeout".*/, '', '<param name="timeout" value="2"/>'],
    ['lookups whose answers are not kept', '?cache=until-flushed', '', '?cache=until-flushed'],
    ['kept answers with a look-up of contacts', /<param name="reg-deny.*/, '', 'reg-deny-binding-fetch-and-no-lookup'],
    ['routes that are not asked for', '/engine/dialplan', '/other', 'bindings="dialplan"/>'],
    [
      'routes without a timeout',
      /(engine\/dialplan[^]*?)<param name="timeout".*/,
      '$1',
      '<param name="timeout" value="2"/>',
    ],
    ['a module of a step that is not loaded', '<load module="mod_fifo"/>', '', '<load module="mod_fifo"/>'],
    ['calls without authentication', /<param name="auth-calls".*/, '', '<param name="auth-calls" value="true"/>'],
    [
      'a realm of the profile',
      'value="auto_from"',
      'value="callplane"',
      '<param name="challenge-realm" value="auto_from"/>',
    ],
    [
      'presence by the From header',
      'name="manage-presence" value="false"',
      'name="manage-presence" value="true"',
      'manage-presence',
    ],
    [
      'one tenant for all',
      '<param name="auth-calls"',
      '<param name="force-register-domain" value="a"/><param name="auth-calls"',
      'force-register-domain',
    ],
    [
      'CDRs posted by calls',
      '<param name="log-b-leg"',
      '<param name="url" value="http://x"/><param name="log-b-leg"',
      'no line url',
    ],
    ['CDRs of one leg only', 'name="log-b-leg" value="true"', 'name="log-b-leg" value="false"', 'name="log-b-leg"'],
    [
      'no phrases for mailboxes',
      '<language name="en"',
      '<language name="xx"',
      '<macro name="voicemail_play_greeting">',
    ],
    [
      'mailboxes without a profile',
      /(voicemail[.]conf[^]*?)<profile name="default">/,
      '$1<profile name="other">',
      '<profile name="default">',
    ],
    [
      'mailboxes that open without a PIN',
      'name="allow-empty-password-auth" value="false"',
      'name="allow-empty-password-auth" value="true"',
      'name="allow-empty-password-auth" value="false"',
    ],
    [
      'an external address that is private',
      '"ext-rtp-ip" value="autonat:some-value"',
      '"ext-rtp-ip" value="autonat:10.1.2.3"',
      'autonat:<the public address>',
    ],
    ['one external address of two', /<param name="ext-rtp-ip".*/, '', '<param name="ext-rtp-ip"'],
    [
      'no keep-alive for routers',
      /<param name="nat-options-ping".*/,
      '',
      '<param name="nat-options-ping" value="true"/>',
    ],
    [
      'a place for NOTIFY that strangers choose',
      /<param name="db-inner-pre-trans-execute".*/,
      '',
      '<param name="db-inner-pre-trans-execute"',
    ],
    [
      'a place for requests that phones choose',
      '<param name="auth-calls"',
      '<param name="NDLB-force-rport" value="safe"/><param name="auth-calls"',
      'no line NDLB-force-rport',
    ],
    [
      'browsers without TLS',
      '<param name="wss-binding"',
      '<param name="ws-binding" value=":5066"/><param name="wss-binding"',
      'wss-binding',
    ],
    [
      'registrations at the profile of carriers',
      '<param name="disable-register" value="true"/>',
      '',
      '<param name="disable-register" value="true"/>',
    ],
    ['no dial plan for new domains', 'name="global"', 'name="demo.example.com"', '<context name="global">'],
  ])('the check reports %s as the one thing to change, with its line', async (_what, from, to, expected) => {
    const lines = await linesOf((text) => text.replace(from, to))

    expect(lines).toEqual([expect.stringContaining(expected)])
  })

  it.each([
    ['a folder of CDRs that does not exist', { 'file_exists /var/spool/freeswitch/cdr': 'false' }, 'log-dir'],
    ['contacts without a mark', { 'global_getvar contact_mark': '-ERR no reply\n' }, 'contact_mark='],
    ['INVITEs that replace calls', { 'global_getvar execute_on_answer': '-ERR no reply\n' }, 'replaced-calls.xml'],
    ['shell commands', { 'global_getvar disable_system_api_commands': 'false' }, 'disable_system_api_commands=true'],
    ['a SIP profile that does not run', { 'sofia status': '0 profiles 0 aliases\n' }, 'SIP_IP and SIP_PORT'],
  ])('the check reports %s', async (_what, answers, expected) => {
    expect(await linesOf(undefined, answers)).toEqual([expect.stringContaining(expected)])
  })

  it.each([
    ['prompts that are not installed', 'file_exists ', 'a sound package of FreeSWITCH'],
    ['prompts without the module that says numbers', 'module_exists mod_say_en', 'mod_say_en'],
  ])('the check reports %s', async (_what, question, expected) => {
    const { ask } = anEngine(undefined, {}, mailboxes('prompts'))
    const answer = async (command: string) =>
      command.startsWith(question) && !command.includes('/cdr') ? 'false' : ask(command)

    expect((await checkEngine(answer, options)).map(({ line }) => line)).toEqual([expect.stringContaining(expected)])
    expect(await linesOf(undefined, {}, mailboxes('prompts'))).toEqual([])
  })

  it('the check reports a phrase that is missing', async () => {
    const sounds = mailboxes('tones').replace('name="voicemail_ack"', 'name="other"')

    expect(await linesOf(undefined, {}, sounds)).toEqual(['<macro name="voicemail_ack">'])
  })

  it.each([
    ['tls', 'false', 'true', ['tls.pem', 'cafile.pem', 'tls.pem', 'cafile.pem']],
    ['wss-binding', '', ':7443', ['wss.pem']],
  ])('the check reports each file of a certificate that is missing: %s', async (name, off, on, files) => {
    const { ask } = anEngine((text) => text.replaceAll(`"${name}" value="${off}"`, `"${name}" value="${on}"`))
    const without = async (command: string) => (command.includes('.pem') ? 'false' : ask(command))

    const found = await checkEngine(without, options)

    expect(found.map(({ problem }) => /\/([a-z.]+)\)$/.exec(problem)?.[1])).toEqual(files)
  })

  it('the check reports the password of every new FreeSWITCH, and an account that is not found, and shows no secret', async () => {
    const { ask } = anEngine((text) => text.replace('engine:not-set', 'wrong:s3cr3t'), {
      'user_exists id 1000 demo.example.com': 'false',
    })

    const found = await checkEngine(ask, {
      password: 'ClueCon',
      account: { login: '1000', domain: 'demo.example.com' },
    })

    expect(found).toHaveLength(3)
    expect(JSON.stringify(found)).not.toMatch(/ClueCon|s3cr3t/)
  })
})
