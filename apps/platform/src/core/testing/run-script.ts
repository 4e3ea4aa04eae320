import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { typeScriptFlags as flagsOfScripts } from '../../../../../scripts/workspace.mjs'

/** Flags with which this Node runs our TypeScript. */
export const typeScriptFlags = flagsOfScripts()

/** Starts a TypeScript module in a child process; it reports on stdout, line by line. */
export function runScript(script: URL, ...parameters: string[]) {
  const child: ChildProcessWithoutNullStreams = spawn(
    process.execPath,
    [...typeScriptFlags, fileURLToPath(script), ...parameters],
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
