import { rememberedCommands, maxErrorLength } from '@grove/device-protocol/limits'
import type { ToDevice } from '@grove/device-protocol/message'

export type Command = Extract<ToDevice, { t: 'command' }>

/** The result of a command, as reported and remembered. */
export interface CommandResult {
  id: string
  ok: boolean
  d?: unknown
  error?: string
}

/** Stores results durably. */
export interface ResultMemory {
  read: () => readonly CommandResult[]
  keep: (results: readonly CommandResult[]) => void
}

interface Options {
  /** Runs the command; an error becomes the reason for its failure. */
  run: (name: string, d: unknown) => Promise<unknown>
  memory: ResultMemory
  answer: (result: CommandResult) => void
}

/**
 * Runs each command once, in order. The platform resends a command until its result is stored, so a
 * remembered result is answered from memory.
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
    // Saved before reporting: if the process dies after this, the result is answered from here.
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

/** In memory only. */
export const memoryOfProcess = (): ResultMemory => ({ read: () => [], keep: () => {} })
