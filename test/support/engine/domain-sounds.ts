import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { toneFile } from '../../../packages/simulated-freeswitch/calls/wav.ts'

/** The sounds that the examples of docs/routes.md play. */
const names = ['greetings/hello.wav', 'menu.wav']

/** Writes the sounds of a domain into the folder of an engine, as tones of 440 Hz that last a second. */
export function writeSounds(folder: string, domain: string): void {
  for (const name of names) {
    const file = join(folder, domain, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, toneFile(8_000))
  }
}
