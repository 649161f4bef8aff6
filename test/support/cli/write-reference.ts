/** `npm run docs:cli`: writes the help of all commands into docs/cli.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { takeNoOptions } from '../../../local/toolchain.mjs'
import { marker, reference } from './reference.ts'

const path = 'docs/cli.md'
takeNoOptions('npm run docs:cli', `Writes the help of all commands of callplane into ${path}. Takes no options.`)
const [introduction = ''] = readFileSync(path, 'utf8').split(marker)
writeFileSync(path, `${introduction}${marker}\n\n${reference()}`)
