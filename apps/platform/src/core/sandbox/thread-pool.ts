import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { startSandboxThread, type SandboxThread } from './thread.ts'

interface Settings {
  ready: number
  memoryPages: number
}

/** How long a surplus thread stays idle before it ends. */
const idleMs = 30_000

/** Threads that run one program at a time. A thread that a program may have damaged is not reused. */
export function threadPool({ ready, memoryPages }: Settings) {
  const idle: { thread: SandboxThread; timer: NodeJS.Timeout | undefined }[] = []
  const all = new Set<SandboxThread>()
  let wasm: Promise<WebAssembly.Module> | undefined
  let starting = 0
  let isClosed = false

  async function start(): Promise<SandboxThread> {
    wasm ??= compile()
    const thread = startSandboxThread(await wasm, memoryPages)
    all.add(thread)
    await thread.isReady
    return thread
  }

  function keep(thread: SandboxThread): void {
    if (isClosed) return retire(thread)
    const timer = setTimeout(() => {
      const at = idle.findIndex((each) => each.thread === thread)
      if (at === -1 || idle.length <= ready) return
      idle.splice(at, 1)
      retire(thread)
    }, idleMs)
    timer.unref()
    idle.push({ thread, timer })
  }

  function retire(thread: SandboxThread): void {
    all.delete(thread)
    void thread.close()
  }

  /** So that the next programs find a started thread. */
  function refill(): void {
    if (isClosed || idle.length + starting >= ready) return
    starting++
    void start()
      .then(keep, () => {})
      .finally(() => {
        starting--
        refill()
      })
  }

  return {
    async take(owner: string): Promise<SandboxThread> {
      // A thread that has served this owner, or nobody, already has suitable memory.
      const at =
        [owner, null]
          .map((wanted) => idle.findLastIndex(({ thread }) => thread.owner() === wanted))
          .find((index) => index !== -1) ?? idle.length - 1
      const [found] = at === -1 ? [] : idle.splice(at, 1)
      clearTimeout(found?.timer)
      const thread = found?.thread ?? (await start())
      setImmediate(refill)
      return thread
    },
    give(thread: SandboxThread, { isSpent }: { isSpent: boolean }): void {
      if (isSpent) retire(thread)
      else keep(thread)
      refill()
    },
    async close(): Promise<void> {
      isClosed = true
      for (const { timer } of idle.splice(0)) clearTimeout(timer)
      await Promise.all([...all].map((thread) => thread.close()))
    },
  }
}

// Once: the threads share the compiled module.
const compile = async () =>
  WebAssembly.compile(
    await readFile(
      createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm'),
    ),
  )
