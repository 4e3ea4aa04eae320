import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { inheritedFlags, starterOf } from './type-stripping.ts'

/** Runs a module of ours in a child process, with messages that may contain byte arrays. */
export function startProcess(module: URL, env: Record<string, string>): ChildProcess {
  return fork(fileURLToPath(starterOf(module)), [module.href], {
    env,
    execArgv: ['--disable-warning=ExperimentalWarning', ...inheritedFlags],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}
