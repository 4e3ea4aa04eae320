interface Work<Batch, Target> {
  atOnce: number
  signal: AbortSignal
  /** Reads the batch before each target, to report progress; undefined once it is gone. */
  read: () => Promise<Batch | undefined>
  next: () => Promise<Target | undefined>
  /** Runs a target, and stores its outcome. */
  run: (target: Target, batch: Batch) => Promise<unknown>
}

/** Runs a few targets at a time until none is left. */
export async function runTargets<Batch, Target>({
  atOnce,
  signal,
  read,
  next,
  run,
}: Work<Batch, Target>): Promise<void> {
  let hasFailed = false
  const runInTurn = async () => {
    for (;;) {
      const batch = await read()
      if (batch === undefined) return
      signal.throwIfAborted()
      if (hasFailed) return
      const target = await next()
      if (target === undefined) return
      await run(target, batch)
    }
  }
  // If one fails, the others finish their targets: the next run continues after them.
  const ended = await Promise.allSettled(
    Array.from({ length: atOnce }, () =>
      runInTurn().catch((error: unknown) => {
        hasFailed = true
        throw error
      }),
    ),
  )
  const failed = ended.find((each) => each.status === 'rejected')
  if (failed) throw failed.reason
}
