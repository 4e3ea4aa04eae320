import { rememberedCommands, maxErrorLength } from '@grove/device-protocol/limits'
import type { ToDevice } from '@grove/device-protocol/message'

export type Command = Extract<ToDevice, { t: 'command' }>

/** What came of a command, as it is said and remembered. */
export interface CommandResult {
  id: string
  ok: boolean
  d?: unknown
  error?: string
}

/** Keeps results where a restart does not lose them. */
export interface ResultMemory {
  read: () => readonly CommandResult[]
  keep: (results: readonly CommandResult[]) => void
}

interface Options {
  /** What the device does; what it throws is why the command failed. */
  run: (name: string, d: unknown) => Promise<unknown>
  memory: ResultMemory
  answer: (result: CommandResult) => void
}

/**
 * Runs each command once, in order. The platform sends a command again until its result is stored, so
 * one whose result is remembered is answered from memory.
 */
export function commandStation({ run, memory, answer }: Options) {
  let known = [...memory.read()]
  const taken = new Set<string>()
  let turn: Promise<unknown> = Promise.resolve()

  async function work({ id, name, d }: Command): Promise<void> {
    const result = await run(name, d).then(
      (answered): CommandResult => ({
        id,
        ok: true,
        ...(answered !== undefined && { d: answered }),
      }),
      (error: unknown): CommandResult => ({ id, ok: false, error: textOf(error) }),
    )
    known = [...known, result].slice(-rememberedCommands)
    // Before the platform hears of it: what is lost after this is answered from here.
    memory.keep(known)
    taken.delete(id)
    answer(result)
  }
  return (command: Command): void => {
    if (taken.has(command.id)) return
    const found = known.find(({ id }) => id === command.id)
    if (found) return answer(found)
    taken.add(command.id)
    turn = turn.then(() => work(command)).catch(() => taken.delete(command.id))
  }
}

const textOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).slice(0, maxErrorLength)

/** Forgets with the process. */
export const memoryOfProcess = (): ResultMemory => ({ read: () => [], keep: () => {} })
