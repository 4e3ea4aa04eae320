import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { programArgs } from './run-script.ts'

const main = fileURLToPath(new URL('../../main.ts', import.meta.url))

export interface PlatformProcess {
  url: string
  child: ChildProcess
  /** Everything printed so far. */
  output: () => string
  /** Ends it like Ctrl-C and waits. */
  stop: () => Promise<void>
}

/**
 * Starts the platform like `npm start`, on a free port, and waits until it prints its URL. `args` are
 * Node's arguments to run another release of it.
 */
export async function startPlatform(
  env: Record<string, string>,
  args: readonly string[] = programArgs(main),
): Promise<PlatformProcess> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NODE_OPTIONS: '', GROVE_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      text += chunk.toString()
      const found = /Grove is ready: ([^\s"]+)/.exec(text)?.[1]
      if (found) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => reject(new Error(`The platform ended with ${code}:\n${text}`)))
  })
  return {
    url,
    child,
    output: () => text,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGINT')
      await once(child, 'exit')
    },
  }
}
