// How to run npm. Plain JavaScript for the machine's own Node, without dependencies.
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Returns the program and the first words that run npm. Its own JavaScript is run wherever it is found, since the `npm`
 * in the path is a script of a shell on Windows: by the npm that runs this command, else the one that came with the
 * machine's Node.
 */
export function npmCommand(env = process.env, machineNode = process.execPath) {
  const running = env.npm_execpath
  if (running !== undefined && basename(running) === 'npm-cli.js')
    return [env.npm_node_execpath ?? machineNode, running]
  const places = ['node_modules', '../lib/node_modules'].map((folder) =>
    join(dirname(machineNode), folder, 'npm/bin/npm-cli.js'),
  )
  const found = places.find((file) => existsSync(file))
  return found === undefined ? ['npm'] : [machineNode, found]
}
