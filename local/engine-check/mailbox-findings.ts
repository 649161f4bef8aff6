import type { AskEngine, Finding } from './check-engine.ts'
import type { Element } from './engine-configuration.ts'

/** The phrases without which a call to a mailbox ends, or its owner hears no message. */
const phrases = [
  'play_greeting',
  'record_message',
  'record_file_check',
  'record_urgent_check',
  'goodbye',
  'hello',
  'enter_pass',
  'fail_auth',
  'message_count',
  'menu',
  'say_message_number',
  'say_date',
  'listen_file_check',
  'ack',
].map((name) => `voicemail_${name}`)

/** Sample rates that packages of prompts have folders for. */
const rates = ['8000', '16000', '32000', '48000']

/** Returns what makes the mailboxes of an engine silent or open to strangers. `voicemail` is its configuration. */
export async function findingsOfMailboxes(ask: AskEngine, voicemail: Element | undefined): Promise<Finding[]> {
  return [...findingsOfProfile(voicemail), ...(await findingsOfPhrases(ask))]
}

function findingsOfProfile(voicemail: Element | undefined): Finding[] {
  const file = 'services.xml (voicemail.conf.xml)'
  const profile = voicemail
    ?.child('profiles')
    .children('profile')
    .find((one) => one.attribute('name') === 'default')
  if (profile === undefined) {
    return [
      {
        file,
        problem: 'calls to mailboxes are cut off: they use the profile default',
        line: '<profile name="default">',
      },
    ]
  }
  if (profile.parameters.get('allow-empty-password-auth') === 'false') return []
  const problem = 'the mailbox of an account that has neither a PIN nor a password opens for everybody'
  return [{ file, problem, line: '<param name="allow-empty-password-auth" value="false"/>' }]
}

async function findingsOfPhrases(ask: AskEngine): Promise<Finding[]> {
  const file = 'freeswitch.xml (lang/en/en.xml)'
  const language = await ask('xml_locate languages language name en')
  const missing = phrases.filter((name) => !language.includes(`<macro name="${name}"`))
  if (missing.length > 0) {
    const problem =
      'calls to mailboxes are answered and cut off without a sound: phrases of the language en are missing'
    return [{ file, problem, line: missing.map((name) => `<macro name="${name}">`).join(' ') }]
  }
  const found: Finding[] = []
  const sayModule = `mod_say_${/say-module="(\w+)"/.exec(language)?.[1] ?? 'en'}`
  if (language.includes('function="say"') && (await ask(`module_exists ${sayModule}`)).trim() !== 'true') {
    const problem = `mailboxes say no number: ${sayModule} is not loaded`
    found.push({ file: 'modules.xml (modules.conf.xml)', problem, line: `<load module="${sayModule}"/>` })
  }
  const folder = /sound-prefix="([^"]*)"/.exec(language)?.[1] ?? ''
  if (language.includes('data="voicemail/') && !(await hasPrompts(ask, folder))) {
    const problem = 'mailboxes are silent: the sounds of their phrases are not installed'
    found.push({ file, problem, line: `a sound package of FreeSWITCH in ${folder}, or the tones of the engine kit` })
  }
  return found
}

async function hasPrompts(ask: AskEngine, folder: string): Promise<boolean> {
  if (!/^\/[A-Za-z0-9._/-]+$/.test(folder)) return false
  for (const rate of rates) {
    if ((await ask(`file_exists ${folder}/voicemail/${rate}/vm-goodbye.wav`)).trim() === 'true') return true
  }
  return false
}
