import { readArguments, usage, UsageError } from './arguments.ts'
import { check, outcomeOf, type Finding, type Outcome } from './check.ts'
import { askPassword, type TerminalInput } from './password-prompt.ts'
import { linesOf, summaryOf } from './print.ts'

/** Exit codes of the command. The README documents them, and scripts rely on them. */
const exitCodes: Record<Outcome | 'usage' | 'stopped', number> = {
  fits: 0,
  wrong: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  // The exit code that shells use for a program ended by SIGINT.
  stopped: 130,
}

/** Where the command runs. */
export interface Terminal {
  args: readonly string[]
  env: Record<string, string | undefined>
  input: TerminalInput
  /** Whether the output is a terminal. */
  isTerminal: boolean
  print: (line: string) => void
  /** Writes to the error output, without a line feed. */
  say: (text: string) => void
  /** Aborts when the person presses Ctrl-C. */
  signal: AbortSignal
}

/** Runs the command; returns the exit code. */
export async function runCheck(terminal: Terminal): Promise<number> {
  const { args, env, print, say } = terminal
  if (args.includes('--help') || args.includes('-h')) {
    print(usage)
    return exitCodes.fits
  }
  try {
    return await run(terminal, readArguments(args, env))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    say(
      args.length === 0
        ? `${usage}\n`
        : `${error.message}\n\nRun "npx @grove/auth-client --help" for help.\n`,
    )
    return exitCodes.usage
  }
}

async function run(terminal: Terminal, given: ReturnType<typeof readArguments>): Promise<number> {
  const { env, input, print, say, signal } = terminal
  const { isJson } = given
  let { options } = given
  if (given.isPasswordShown)
    say(
      'warning  --password: others on this machine see it among the processes. Set GROVE_PASSWORD.\n',
    )
  if (options.email !== undefined && options.password === undefined) {
    if (!input.isTTY)
      throw new UsageError(`Set GROVE_PASSWORD to the password of ${options.email}.`)
    const password = await askPassword(input, say, `Password of ${options.email}: `)
    if (password === null) return exitCodes.stopped
    options = { ...options, password }
  }
  const isColoured = terminal.isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const onFinding = (finding: Finding) => {
    if (!isJson) for (const line of linesOf(finding, isColoured)) print(line)
  }
  const findings = await check({ ...options, onFinding, signal })
  const outcome = outcomeOf(findings)
  const { url } = options
  if (isJson)
    print(
      JSON.stringify(
        {
          url,
          fits: outcome === 'fits' && !signal.aborted,
          outcome: signal.aborted ? 'stopped' : outcome,
          findings,
        },
        null,
        2,
      ),
    )
  else print(signal.aborted ? 'Stopped.' : `\n${summaryOf(url, findings, outcome)}`)
  return signal.aborted ? exitCodes.stopped : exitCodes[outcome]
}
