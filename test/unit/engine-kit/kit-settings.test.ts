import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

const settings = readFileSync('engine/conf/settings.xml', 'utf8')
const named = settings.matchAll(/cmd="env-set" data="\w+=\$(\w+)"/g)
const variables = [...new Set([...named].map(([, name = '']) => name))].toSorted()
/** Folders of the kit's container: they are volumes, at the places that the settings have by default. */
const folders = ['CDR_FOLDER', 'RECORDINGS_FOLDER', 'SOUNDS_FOLDER', 'TLS_FOLDER', 'VOICEMAIL_FOLDER']

it('the compose file of the engine kit passes each setting of the kit to the engine, and has a volume for each folder', () => {
  const { engine } = parse(readFileSync('engine/compose.yaml', 'utf8')).services
  const places = folders.map((name) => new RegExp(`data="${name.toLowerCase()}=(.+)"`).exec(settings)?.[1])

  expect([...Object.keys(engine.environment), ...folders].toSorted()).toEqual(variables)
  expect(new Set(engine.volumes.map((volume: string) => volume.split(':')[1]))).toEqual(new Set(places))
})

it('the manual of the engine kit describes each setting', () => {
  const manual = readFileSync('docs/engine.md', 'utf8')

  expect(variables.filter((name) => !manual.includes(`\`${name}\``))).toEqual([])
})
