import { isJsonObject } from '../default-routes/json.ts'
import { menuMembers } from '../default-routes/step-kinds.ts'
import { type EngineAction, type StepContext, StepProblem } from './engine-action.ts'
import { application, membersOf, soundOf, toneOf, wholeNumber } from './step-values.ts'

/** The variable with the caller's choice: keys of the menu, or nothing. The engine ignores other keys. */
export const menuVariable = 'svc_menu'

/** Last index in the position of a call whose menu was played; a callflow has fewer branches than this. */
export const afterMenu = 99_999

const maxChoices = 50

const wrongTone = 'tone_stream://%(400,100,300)'

/** Returns the application that plays a menu and waits for keys: only those of the menu, by a closed expression. */
export function menuActions(argument: unknown, context: StepContext): EngineAction[] {
  const { sound, tone, digits, timeout = 5, tries = 3, invalid } = membersOf(argument, menuMembers)
  const keys = keysOf(digits)
  const lengths = keys.map(({ length }) => length)
  const end = keys.some((key) => key.includes('#')) ? 'none' : '#'
  const chosen = keys.map((key) => key.replaceAll('*', '[*]')).join('|')
  const data = [
    Math.min(...lengths),
    Math.max(...lengths),
    wholeNumber(tries, 1, 10, '.tries'),
    wholeNumber(timeout, 1, 30, '.timeout') * 1_000,
    end,
    promptOf(sound, tone, context),
    invalid === undefined ? wrongTone : wordOf(invalid, '.invalid', context),
    menuVariable,
    `^(${chosen})$`,
  ]
  return [application('play_and_get_digits', data.join(' '))]
}

function keysOf(digits: unknown): readonly string[] {
  const keys = isJsonObject(digits) ? Object.keys(digits).toSorted() : []
  if (keys.length === 0 || keys.length > maxChoices || !keys.every((key) => /^[0-9*#]{1,4}$/.test(key))) {
    throw new StepProblem(`must have 1-${maxChoices} choices, each of 1-4 of the keys 0-9 * #`, '.digits')
  }
  return keys
}

function promptOf(sound: unknown, tone: unknown, context: StepContext): string {
  if ((sound === undefined) === (tone === undefined)) throw new StepProblem('must have either a sound or a tone')
  return tone === undefined ? wordOf(sound, '.sound', context) : `tone_stream://${toneOf(tone, '.tone')}`
}

/** A sound as one word of the application's data. Names of sounds have blanks, but no quotes. */
function wordOf(sound: unknown, at: string, context: StepContext): string {
  if (typeof sound !== 'string') throw new StepProblem('must name a sound', at)
  const file = soundOf(sound, context, at)
  return file.includes(' ') ? `'${file}'` : file
}
