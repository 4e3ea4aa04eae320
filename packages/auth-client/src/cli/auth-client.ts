#!/usr/bin/env node
import type { TerminalInput } from './password-prompt.ts'
import { runCheck } from './run-check.ts'

// Not the types of Node, which users of the package may not have installed.
interface Process {
  argv: string[]
  env: Record<string, string | undefined>
  exitCode: number | undefined
  stdin: TerminalInput
  stdout: {
    isTTY?: boolean
    write: (text: string) => unknown
    on: (event: 'error', listener: () => void) => unknown
  }
  stderr: { write: (text: string) => unknown }
  exit: (code: number) => void
  once: (event: 'SIGINT' | 'SIGTERM', listener: () => void) => unknown
}
const { process } = globalThis as unknown as { process: Process }

const stop = new AbortController()
// Only once: a second Ctrl-C ends the process immediately.
process.once('SIGINT', () => stop.abort())
process.once('SIGTERM', () => stop.abort())
// The reader of the output has exited, like `head`.
process.stdout.on('error', () => process.exit(1))

process.exitCode = await runCheck({
  args: process.argv.slice(2),
  env: process.env,
  input: process.stdin,
  isTerminal: process.stdout.isTTY === true,
  print: (line) => process.stdout.write(`${line}\n`),
  say: (text) => process.stderr.write(text),
  signal: stop.signal,
})
