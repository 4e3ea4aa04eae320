import { runCheck, type Terminal } from '../../src/cli/run-check.ts'

/** Runs the command in this process; returns its exit code and both outputs. */
export async function runCommand(args: readonly string[], more: Partial<Terminal> = {}) {
  const lines: string[] = []
  let said = ''
  const code = await runCheck({
    args,
    env: {},
    input: {
      setEncoding: () => {},
      resume: () => {},
      pause: () => {},
      on: () => {},
      off: () => {},
    },
    isTerminal: false,
    print: (line) => lines.push(line),
    say: (text) => (said += text),
    signal: new AbortController().signal,
    ...more,
  })
  return { code, output: lines.join('\n'), said }
}
