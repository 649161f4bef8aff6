// `node local/run.mjs <command or TypeScript file> [words]`: how package.json runs them. Plain JavaScript, so that it
// starts on the machine's own Node before anything is installed. Installs what is missing, then runs the command on the
// project's own Node.
import { ensureInstalled, runInPlace } from './toolchain.mjs'

const [name, ...words] = process.argv.slice(2)
ensureInstalled()
if (name.endsWith('.ts')) runInPlace('node', [name, ...words])
else runInPlace(name, words)
