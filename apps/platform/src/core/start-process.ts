import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { stripsTypes } from './type-stripping.ts'

/** Runs a TypeScript module in a child process, with messages that may contain byte arrays. */
export function startProcess(module: URL, env: Record<string, string>): ChildProcess {
  const file = stripsTypes ? module : new URL('./thread-node20.mjs', import.meta.url)
  return fork(fileURLToPath(file), [module.href], {
    env,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}
