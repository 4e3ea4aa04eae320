import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildServer, root, serverArgs, typeScriptFlags } from '../../../scripts/workspace.mjs'
import type { BenchContext } from './bench-context.ts'

export interface ServerProcess {
  url: string
  /** Resident memory in MB; undefined without `/proc`. */
  memory: () => Promise<number | undefined>
  /** The same including all children. */
  treeMemory: () => Promise<number | undefined>
  /** CPU time of all its threads so far, in ms; undefined without `/proc`. */
  processorTime: () => Promise<number | undefined>
  stop: () => Promise<void>
  /** Kills it, like a crash. */
  kill: () => Promise<void>
}

export type Environment = Record<string, string>

/** Linux reports CPU time in this unit on every architecture that Node supports. */
const tickMs = 10

/**
 * The environment of child processes, without Grove's variables, so that a figure depends only on the
 * given ones.
 */
export function childEnvironment(own: Environment): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GROVE_'))
  // Empty, not absent: a `.env` file must not set it.
  return { ...Object.fromEntries(inherited), NODE_OPTIONS: '', DATABASE_URL: '', ...own }
}

/** The server as `npm start` runs it. */
export function startPlatform(bench: BenchContext, env: Environment): Promise<ServerProcess> {
  buildServer()
  return start(bench, serverArgs(), env, /Grove is ready: ([^\s"]+)/)
}

/** Starts one of our programs in a child process and waits until it prints its address. */
export const startServer = (bench: BenchContext, file: string, env: Environment, ready: RegExp) =>
  start(bench, [...typeScriptFlags(), join(root, file)], env, ready)

async function start(
  bench: BenchContext,
  args: string[],
  env: Environment,
  ready: RegExp,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: childEnvironment({ GROVE_PORT: '0', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  const stop = () => end('SIGTERM')
  bench.atEnd(stop)
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      if (output.length < 20_000) output += chunk.toString()
      const found = ready.exec(output)?.[1]
      if (found) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${args.at(-1)} ended with ${code}:\n${output}`)))
  })
  return {
    url,
    memory: () => memoryOf(child.pid),
    treeMemory: () => treeMemoryOf(child.pid),
    processorTime: () => processorTimeOf(child.pid),
    stop,
    kill: () => end('SIGKILL'),
  }
}

/** Runs one of our programs to completion, showing its output. */
export async function runProgram(file: string, args: string[], env: Environment): Promise<void> {
  const child = spawn(process.execPath, [...typeScriptFlags(), join(root, file), ...args], {
    cwd: root,
    env: childEnvironment(env),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const [code] = (await once(child, 'exit')) as [number | null]
  process.off('exit', kill)
  if (code !== 0) throw new Error(`${file} ended with ${code}.`)
}

/** CPU time of all threads of a process so far, in ms; undefined without `/proc`. */
export async function processorTimeOf(pid: number | undefined): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name before them may contain spaces; then come the state and ten more fields before the
  // times.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' ? undefined : (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** The same for a process and its children, including those that have ended. */
export async function treeProcessorTimeOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * tickMs
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const below = children.split(' ').filter((child) => child.trim() !== '')
  const all = await Promise.all(below.map((child) => treeProcessorTimeOf(Number(child))))
  return all.reduce((sum, time) => sum + time, own)
}

async function memoryOf(pid: number | string | undefined): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
}

async function treeMemoryOf(pid: number | string | undefined): Promise<number | undefined> {
  const own = await memoryOf(pid)
  if (own === undefined) return undefined
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const below = children.split(' ').filter((child) => child.trim() !== '')
  const all = await Promise.all(below.map((child) => treeMemoryOf(child)))
  return all.reduce<number>((sum, memory) => sum + (memory ?? 0), own)
}
