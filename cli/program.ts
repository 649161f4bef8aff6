import { Command, CommanderError } from 'commander'
import { addDomains } from './commands/domains.ts'
import { addAccounts } from './commands/accounts.ts'
import { addChannels } from './commands/channels.ts'
import { addHooks } from './commands/hooks.ts'
import { addEvents } from './commands/events.ts'
import { addListen } from './commands/listen.ts'
import { addCdr } from './commands/cdr.ts'
import { addErasures } from './commands/erasures.ts'
import { addRecordings } from './commands/recordings.ts'
import { addGateways } from './commands/gateways.ts'
import { addRoutes } from './commands/routes.ts'
import { addBlacklists } from './commands/blacklists.ts'
import { addApi } from './commands/api.ts'
import { addTokens } from './commands/tokens.ts'
import { addAudit } from './commands/audit.ts'
import { addDocument } from './commands/document.ts'
import { addDoctor } from './commands/doctor.ts'
import { addEngine } from './commands/engine.ts'
import { addCompletion } from './commands/completion.ts'
import { addLogin } from './commands/login.ts'
import { addStatus } from './commands/status.ts'
import { type Failure, describeFailure } from './failure/describe-error.ts'
import { type ExitCode, exitCodes } from './failure/exit.ts'
import { Output } from './output/output.ts'
import { type Terminal, mayUseColours } from './terminal/terminal.ts'

const after = `
Exit codes:
  0    done
  1    refused or failed
  2    wrong usage
  3    not signed in, or the login has ended
  4    no answer from the platform, or from an engine
  130  interrupted

Environment:
  CALLPLANE_PROFILE  the profile in use
  CALLPLANE_URL      with CALLPLANE_TOKEN: the address of the platform
  CALLPLANE_TOKEN    a static token of a domain, in place of a login
  NO_COLOR           set to anything: no colours

Begin with:
  $ callplane login --url http://127.0.0.1:8080 --user 1000@demo.example.com`

/** The commands in the order of the help. */
const groups = [
  addLogin,
  addDomains,
  addAccounts,
  addChannels,
  addHooks,
  addEvents,
  addListen,
  addCdr,
  addRecordings,
  addErasures,
  addRoutes,
  addGateways,
  addBlacklists,
  addDocument,
  addTokens,
  addAudit,
  addDoctor,
  addEngine,
  addStatus,
  addApi,
]

/** Returns the program with all its commands. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('callplane')
    .description('The command line of Callplane: accounts, calls, hooks, call records and more.')
    .option('-p, --profile <name>', 'the profile to use (default: $CALLPLANE_PROFILE, then "default", then "demo")')
    .option('-d, --domain <name>', 'the domain to work in; only root needs it')
    .option('--json', 'print results as JSON')
    .option('--full', 'show tables whole, however wide they are')
    .option('--no-color', 'print without colours')
    .addHelpText('after', after)
    .configureHelp({ showGlobalOptions: true, styleTitle: (title) => title })
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      // Failures are reported in one place.
      writeErr: () => {},
      getOutHelpWidth: () => terminal.stdout.columns ?? 100,
      getErrHelpWidth: () => terminal.stderr.columns ?? 100,
    })
    .exitOverride()
  for (const add of groups) add(program, terminal)
  addCompletion(program, terminal)
  return program
}

/** Runs a command line. Returns the exit code; failures are reported on standard error. */
export async function run(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const program = createProgram(terminal)
  try {
    if (words.length === 0) program.help({ error: false })
    await program.parseAsync(words, { from: 'user' })
    return terminal.signal.aborted ? exitCodes.interrupted : exitCodes.done
  } catch (error) {
    // A request that Ctrl-C broke off says nothing new; a command that says how far it came does.
    if (terminal.signal.aborted && isAbort(error)) return exitCodes.interrupted
    const failure = describeFailure(error)
    if (failure.exitCode === exitCodes.done) return exitCodes.done
    const { stdout, stderr } = terminal
    const isUsage = error instanceof CommanderError
    const shown = isUsage ? { ...failure, ...usageOf(error, failure.message, nameOf(program, words), words) } : failure
    const colours = mayUseColours(terminal) && !words.includes('--no-color')
    new Output({ json: words.includes('--json'), stdout, stderr, colours }).failure(shown)
    return terminal.signal.aborted ? exitCodes.interrupted : failure.exitCode
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

function usageOf(
  error: CommanderError,
  message: string,
  name: string,
  words: readonly string[],
): Pick<Failure, 'message' | 'wayOut'> {
  const [first, topic] = words
  const wayOut = `see: ${name} --help`
  if (error.code !== 'commander.help') return { message, wayOut }
  // `help` answers a command that does not exist with the help of all, and commander says no more.
  if (first === 'help' && topic !== undefined) return { message: `unknown command '${topic}'`, wayOut }
  return { message: `${name} needs a command`, wayOut }
}

function nameOf(program: Command, words: readonly string[]): string {
  const names = [program.name()]
  let command: Command | undefined = program
  for (const word of words) {
    command = command.commands.find((each) => each.name() === word)
    if (command === undefined) break
    names.push(word)
  }
  return names.join(' ')
}
