import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { nodeFlags, typeScriptFlags } from '../../../../../scripts/workspace.mjs'
import { bundleOf, programsVariable } from './program-bundle.ts'

// Test programs live for seconds: optimising the embedded database's code takes longer than it saves.
const forShortLives = '--liftoff-only'

/**
 * The arguments with which Node runs one of our programs, given by its source: bundled, where the tests
 * have bundled them.
 */
export function programArgs(source: string, ...args: string[]): string[] {
  const bundles = process.env[programsVariable]
  return bundles === undefined
    ? [...typeScriptFlags(), source, ...args]
    : [...nodeFlags, forShortLives, bundleOf(bundles, source), ...args]
}

/** Starts a TypeScript module in a child process; it reports on stdout, line by line. */
export function runScript(script: URL, ...parameters: string[]) {
  const child: ChildProcessWithoutNullStreams = spawn(
    process.execPath,
    programArgs(fileURLToPath(script), ...parameters),
    { env: { ...process.env, NODE_OPTIONS: '' } },
  )
  let errors = ''
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()))
  const lines: string[] = []
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line))
  const firstLine = new Promise<string>((resolve, reject) => {
    reader.once('line', resolve)
    child.once('close', () => reject(new Error(`${script.pathname} said nothing: ${errors}`)))
  })
  firstLine.catch(() => {})
  return { child, lines, firstLine, exited }
}
