import { join, relative } from 'node:path'
import { demoProfile } from './demo-profile.ts'
import { demo } from './first-data.ts'

const manual = join(import.meta.dirname, '../../docs/README.md')

/** Returns where everything is of a platform that runs on this machine, for somebody who sees it for the first time. */
export function newcomerLines(url: string, hasProfile: boolean): readonly string[] {
  const user = `${demo.accounts[0].login}@${demo.domain}`
  return [
    `  address    ${url}`,
    `  reference  ${url}/docs`,
    `  manual     ${relative(process.cwd(), manual)}`,
    `  profile    ${hasProfile ? `${demoProfile}, signed in as ${user}` : `none yet: callplane login --url ${url} --user ${user}`}`,
    '  stop       Ctrl-C where npm start runs',
  ]
}
