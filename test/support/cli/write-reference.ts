/** `npm run docs:cli`: writes the help of all commands into docs/cli.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { marker, reference } from './reference.ts'

const path = 'docs/cli.md'
const [introduction = ''] = readFileSync(path, 'utf8').split(marker)
writeFileSync(path, `${introduction}${marker}\n\n${reference()}`)
