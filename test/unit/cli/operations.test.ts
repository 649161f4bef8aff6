import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { operations } from '../../../client/operations.ts'

const rare = 'rare, or done once: callplane api calls it'

/** Operations that no command names, and why. Nothing else may be missing. */
const withoutCommand: Readonly<Record<string, string>> = {
  beginTotp: rare,
  confirmTotp: rare,
  deleteRecordings: rare,
  endAccountTotp: rare,
  endTotp: rare,
  holdRecordings: rare,
  logOut: 'callplane logout calls it through the client',
  readApiDescription: 'for programs; a page shows it at /docs',
  readEventDescription: 'for programs; a page shows it at /docs',
  scrollCdrs: 'callplane cdr search and export call it through the client',
  sendTestMail: rare,
}

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? sources(path) : [readFileSync(path, 'utf8')]
  })
}

it('every operation of the API has a command, or a reason why it has none', () => {
  const text = sources('cli').join('\n')
  const missing = Object.keys(operations).filter((name) => !text.includes(`'${name}'`))

  expect(missing.toSorted()).toEqual(Object.keys(withoutCommand).toSorted())
})
