import type { SessionContext } from '../context.ts'
import { takeQueued } from './command-queue.ts'
import { finishCommand } from './command-queue.queries.ts'
import { openHere } from './open-elsewhere.ts'
import { runCommand } from './run-command.ts'

/** Runs requests that other processes received for this one's sessions. */
export function runQueuedCommands(context: SessionContext): void {
  const { db, sessions: hub } = context

  async function run(command: Awaited<ReturnType<typeof takeQueued>>[number]): Promise<void> {
    const { id, sessionId, input } = command
    if (input.type === 'open') await openHere(context, command, input.origin)
    else {
      const session = hub.live.get(sessionId)
      if (!session) return
      await finishCommand(db, id, await runCommand(session, id, input))
    }
    await hub.tell('done', id)
  }

  hub.onPoll(
    async () => {
      for (const command of await takeQueued(context)) void run(command).catch(() => {})
    },
    // Another process may open a session to an element in one of them.
    () => context.transports.some(({ hasElements }) => hasElements?.(context) ?? false),
  )
}
