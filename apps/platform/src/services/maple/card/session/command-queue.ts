import type { Origin } from '../../../../core/actor.ts'
import { ProblemError } from '../../../../core/http/problem.ts'
import { seal, unseal } from '../../../../core/sealed.ts'
import type { SessionContext } from '../context.ts'
import {
  findCommand,
  insertCommand,
  takeCommands,
  type CommandRow,
} from './command-queue.queries.ts'
import { nextChange } from './next-change.ts'
import type { CommandInput } from './run-command.ts'
import { findProcess } from './session.queries.ts'

/** A request to a process: a command of one of its sessions, or to open one. */
export type QueuedInput = CommandInput | { type: 'open'; origin: Origin }

const sealPurpose = 'maple session command'

interface Queued {
  id: string
  sessionId: string
  askedBy: string | null
  input: QueuedInput
}

/** Leaves it to the process that has the lease of the session. False if the id is taken. */
export async function queueCommand(
  { db, sessions: hub, sessionSecret }: SessionContext,
  { input, ...command }: Queued,
): Promise<boolean> {
  const sealedInput = seal(JSON.stringify(input), sessionSecret, sealPurpose)
  if (!(await insertCommand(db, { ...command, sealedInput }))) return false
  const processId = await findProcess(db, command.sessionId)
  if (processId !== undefined) await hub.tell('take', processId)
  return true
}

/** The requests waiting for this process's sessions; each is taken once. */
export async function takeQueued({ db, sessions: hub, sessionSecret }: SessionContext) {
  const taken = await takeCommands(db, hub.processId)
  return taken.map(({ sealedInput, ...command }) => ({
    ...command,
    input: JSON.parse(unseal(sealedInput, sessionSecret, sealPurpose)) as QueuedInput,
  }))
}

/** Waits for the end of a command, possibly in another process; undefined on timeout. */
export async function endOfCommand(
  { db, sessions: hub }: SessionContext,
  id: string,
  patienceMs: number,
): Promise<CommandRow | undefined> {
  const until = performance.now() + patienceMs
  for (;;) {
    const notified = nextChange(hub.changes, doneEvent(id))
    const row = await findCommand(db, id)
    const isEnded = row && row.state !== 'queued' && row.state !== 'sent'
    if (isEnded || !row || performance.now() > until || hub.isClosing()) {
      notified.cancel()
      return isEnded ? row : undefined
    }
    await notified.wait(hub.lookMs())
  }
}

export const doneEvent = (id: string) => `done ${id}`

export const notEndedYet = () =>
  new ProblemError('edit_conflict', 'The command has not ended yet. Watch the session.')
