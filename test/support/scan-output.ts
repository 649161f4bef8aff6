/** `node test/support/scan-output.ts <file>`: lists the secrets of tests in the output of tests. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { holds, markedIn, planted } from './invariants/secret-forms.ts'

/** The digests by which phones of most tests' accounts log in: they follow from the passwords and have no marker. */
const digests = ['1000', '1001', '1002'].map((login) =>
  createHash('md5')
    .update(`${login}:a.example.com:${planted(`password of ${login}`)}`)
    .digest('hex'),
)

/** Each place in an output where a secret of the tests stands, in any form, with what is around it. */
export function secretsShownIn(output: Buffer): readonly string[] {
  return [...markedIn(output), ...digests.filter((digest) => holds(output, digest))]
}

if (import.meta.main) {
  const [file = ''] = process.argv.slice(2)
  const shown = secretsShownIn(readFileSync(file))
  for (const each of shown) console.error(`the output above shows what tests use as a secret: ${JSON.stringify(each)}`)
  process.exitCode = shown.length > 0 ? 1 : 0
}
