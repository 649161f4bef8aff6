/**
 * `node test/support/write-settings.ts`: writes the tables of settings in docs/local-run.md, the runbook and
 * local/settings/settings.json from contracts/settings. test/infra/settings-tables.test.ts refuses tables that differ.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { deploymentTable, helpRows, laptopTable } from './platform/settings-tables.ts'

/** Replaces the table that begins with this title and has a column of defaults. */
function replaceTable(file: string, title: string, table: string): void {
  const text = readFileSync(file, 'utf8')
  const old = new RegExp(`^\\| ${title} \\| default \\|.*\\n(?:\\|.*\\n)+`, 'm')
  if (!old.test(text)) throw new Error(`${file} has no table of the column "${title}"`)
  writeFileSync(
    file,
    text.replace(old, () => `${table}\n`),
  )
}

writeFileSync('local/settings/settings.json', `${JSON.stringify(helpRows(), null, 2)}\n`)
replaceTable('docs/local-run.md', 'variable', laptopTable())
replaceTable('docs/runbook.md', 'setting', deploymentTable())
