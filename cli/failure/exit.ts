/** The exit codes of the program. docs/cli.md lists them for users. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notSignedIn: 3,
  unreachable: 4,
  interrupted: 130,
} as const

/** An exit code of the program. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** A failure whose message names the problem and the way out. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode = exitCodes.failed, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.exitCode = exitCode
  }
}

/** Returns the failure of a command that needs a login and has none. */
export function notSignedIn(problem: string): CliError {
  return new CliError(
    `${problem}; sign in with: callplane login --url <address> --user <login@domain>`,
    exitCodes.notSignedIn,
  )
}
