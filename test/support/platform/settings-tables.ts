import { deploymentSettings, laptopSettings } from '../../../contracts/settings/index.ts'
import type { Setting } from '../../../contracts/settings/setting.ts'

/**
 * A row of `npm start -- --help`, which local/start.mjs prints from local/settings/settings.json before anything is
 * installed.
 */
interface HelpRow {
  readonly name: string
  readonly default: string
  readonly meaning: string
}

/** Returns what local/settings/settings.json must hold. */
export function helpRows(): HelpRow[] {
  return laptopSettings.map((setting) => ({
    name: setting.variable,
    default: plain(defaultOf(setting, setting.laptop)),
    meaning: plain(setting.meaning),
  }))
}

/** Returns the table of the settings of `npm start`. */
export function laptopTable(): string {
  const rows = laptopSettings.map((setting) => [setting.variable, defaultOf(setting, setting.laptop), setting.meaning])
  return table('variable', rows)
}

/** Returns the runbook's table of the settings of a deployment. */
export function deploymentTable(): string {
  const rows = deploymentSettings.map((setting) => [
    setting.context,
    defaultOf(setting, setting.deployment),
    setting.meaning,
  ])
  return table('setting', rows)
}

function defaultOf({ fallback, unset }: Setting, difference: Pick<Setting, 'fallback' | 'unset'> = {}): string {
  const text = difference.fallback ?? fallback ?? ''
  return difference.unset ?? (difference.fallback === undefined ? unset : undefined) ?? `\`${text}\``
}

function table(title: string, rows: readonly (readonly string[])[]): string {
  const lines = rows.map(([name, unset, meaning]) => `| \`${name}\` | ${unset} | ${meaning} |`)
  return [`| ${title} | default | meaning |`, '|---|---|---|', ...lines].join('\n')
}

const plain = (text: string): string => text.replaceAll('`', '')
