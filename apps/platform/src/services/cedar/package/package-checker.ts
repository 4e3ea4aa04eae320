import type { Worker } from 'node:worker_threads'
import { startThread } from '../../../core/start-thread.ts'
import type { PackageLimits } from './package-limits.ts'
import type { PackageReport } from './package-report.ts'
import type { PackageAnswer, PackageAnswers, PackageRequest } from './package-thread.ts'

// A thread takes about 30 MB and starts in a fifth of a second.
const idleMs = 30_000

interface Task {
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

let current: { worker: Worker; tasks: Map<number, Task>; checks: number } | undefined
let ending: NodeJS.Timeout | undefined
let lastId = 0

/** The thread that inflates and writes packages, so that no request waits for it. */
function thread() {
  clearTimeout(ending)
  if (current) return current
  const worker = startThread(new URL('./package-thread.ts', import.meta.url))
  const started = { worker, tasks: new Map<number, Task>(), checks: 0 }
  current = started
  const fail = (error: Error) => {
    if (current === started) current = undefined
    for (const { reject } of started.tasks.values()) reject(error)
    started.tasks.clear()
  }
  worker.on('message', (answer: PackageAnswer) => {
    const task = started.tasks.get(answer.id)
    started.tasks.delete(answer.id)
    if ('value' in answer) task?.resolve(answer.value)
    else task?.reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }))
  })
  worker.on('error', fail)
  worker.on('exit', () => fail(new Error('The thread that checks packages ended.')))
  // An idle thread does not keep the process alive.
  worker.unref()
  return started
}

function endWhenIdle({ worker, tasks, checks }: NonNullable<typeof current>): void {
  if (tasks.size > 0 || checks > 0) return
  clearTimeout(ending)
  ending = setTimeout(() => {
    if (current?.worker === worker) current = undefined
    void worker.terminate()
  }, idleMs)
  ending.unref()
}

async function run<T extends keyof PackageAnswers>(
  type: T,
  id: number,
  task: { path: string; limits: PackageLimits; target?: string },
): Promise<PackageAnswers[T]> {
  const used = thread()
  try {
    return await new Promise<PackageAnswers[T]>((resolve, reject) => {
      used.tasks.set(id, { resolve: resolve as Task['resolve'], reject })
      used.worker.postMessage({ type, id, ...task } satisfies PackageRequest, [])
    })
  } finally {
    endWhenIdle(used)
  }
}

export interface PackageCheck {
  /** Reports how many bytes of the package are on disk: the check starts with them. */
  grew: (bytes: number, path: string) => void
  /** The report of the whole package. */
  report: (path: string) => Promise<PackageReport>
  /** Writes the files of a package that passed as a new archive, most of which exists by now. */
  rewrite: (path: string, target: string) => Promise<PackageAnswers['rewrite']>
  /** Aborts the check: a pending report fails. */
  cancel: () => void
  /** Must be called at the end. */
  close: () => void
}

/** Checks a package, and writes its new archive, during the upload. */
export function beginCheck(limits: PackageLimits): PackageCheck {
  const id = ++lastId
  const used = thread()
  used.checks += 1
  let isOpen = true
  return {
    grew: (bytes, path) =>
      used.worker.postMessage(
        { type: 'grew', id, path, limits, bytes } satisfies PackageRequest,
        [],
      ),
    report: (path) => run('check', id, { path, limits }),
    rewrite: (path, target) => run('rewrite', id, { path, limits, target }),
    cancel: () => used.worker.postMessage({ type: 'cancelled', id } satisfies PackageRequest, []),
    close: () => {
      if (!isOpen) return
      isOpen = false
      used.checks -= 1
      used.worker.postMessage({ type: 'abandoned', id } satisfies PackageRequest, [])
      endWhenIdle(used)
    },
  }
}

/** Writes a refused package with its repairs applied (`repair-package.ts`). */
export const repairApart = (path: string, limits: PackageLimits, target: string) =>
  run('repair', ++lastId, { path, limits, target })

/** Hashes the files of a package (`index-package.ts`). */
export const indexApart = (path: string, limits: PackageLimits) =>
  run('index', ++lastId, { path, limits })
