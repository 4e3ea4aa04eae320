import { commandWindow } from '@grove/device-protocol/limits'
import type { ToDevice } from '@grove/device-protocol/message'
import type { Outgoing, Room } from '../device-command/device-command.queries.ts'
import type { Desired } from '../device-twin/device-twin.queries.ts'

/** A connection's state and limits. */
export interface Looking extends Room {
  /** The desired state that went out over it; 0 for none. */
  version: number
}

/** Outgoing messages for one device. */
export interface Found {
  commands: readonly Outgoing[]
  desired: Desired | undefined
}

/** Whether this version of the desired state fits the device's maximum message length. */
export interface DesiredNote {
  deviceId: string
  version: number
  isTaken: boolean
}

interface Options {
  deviceId: string
  look: (asked: Looking) => Promise<Found>
  refuse: (command: { deviceId: string; id: string; error: string }) => Promise<void>
  noteDesired: (note: DesiredNote) => Promise<void>
  /** Returns false if it exceeds the device's maximum message length. */
  send: (message: ToDevice) => boolean
}

const tooLong = 'The command exceeds the device’s maximum message length.'

/**
 * Pending work for the device of one connection: commands, at most as many as a device remembers, and
 * the newest desired state. What an earlier connection left open is sent first.
 */
export function deviceWork({ deviceId, look, refuse, noteDesired, send }: Options) {
  /** Commands without a result, and when each expires. */
  const open = new Map<string, number>()
  let isFirst = true
  let version = 0
  let mayHaveMore = false
  let looking: Promise<void> | undefined
  let isAskedAgain = false

  async function lookOnce(): Promise<void> {
    const now = Date.now()
    for (const [id, until] of open) if (until < now) open.delete(id)
    const most = commandWindow - open.size
    const { commands, desired } = await look({ deviceId, most, isFirst, version })
    isFirst = false
    mayHaveMore = commands.length === most
    for (const { id, name, data, expiresAt } of commands) {
      open.set(id, expiresAt)
      if (send({ t: 'command', id, name, d: data, exp: Math.round(expiresAt) })) continue
      open.delete(id)
      await refuse({ deviceId, id, error: tooLong })
      // There may be more after it.
      isAskedAgain ||= mayHaveMore
    }
    if (!desired || desired.version <= version) return
    version = desired.version
    const isTaken = send({ t: 'desired', version, d: desired.state })
    if (isTaken === desired.isUndelivered) await noteDesired({ deviceId, version, isTaken })
  }

  /** One check at a time; a notice during one triggers another after it. */
  function lookForWork(): Promise<void> {
    isAskedAgain = true
    looking ??= (async () => {
      while (isAskedAgain) {
        isAskedAgain = false
        await lookOnce()
      }
    })().finally(() => (looking = undefined))
    return looking
  }
  return {
    lookForWork,
    /** A result is stored: another command may go out. */
    async answered(id: string): Promise<void> {
      if (open.delete(id) && mayHaveMore) await lookForWork()
    },
  }
}
