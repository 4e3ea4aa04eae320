import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { root, typeScriptFlags } from '../../../scripts/workspace.mjs'
import { childEnvironment } from './server-process.ts'

export interface Storm {
  /** Responses so far. */
  answers: () => Promise<number>
  stop: () => void
}

/** Starts a storm (`storm.ts`) in a child process. */
export async function startStorm(url: string, kind: string, networks: number): Promise<Storm> {
  const file = join(root, 'bench/src/support/storm.ts')
  const child = spawn(process.execPath, [...typeScriptFlags(), file, url, kind, `${networks}`], {
    cwd: root,
    env: childEnvironment({}),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const stop = () => void child.kill('SIGKILL')
  process.once('exit', stop)
  child.once('exit', () => process.off('exit', stop))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  return {
    answers: async () => {
      child.stdin.write('\n')
      const { value }: IteratorResult<string, undefined> = await lines.next()
      return Number(value?.split(' ')[1])
    },
    stop,
  }
}
