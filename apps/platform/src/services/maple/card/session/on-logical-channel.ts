import type { Command } from '@grove/secure-element/apdu'
import { onLogicalChannel as numbered } from '@grove/secure-element/class-byte'
import type { ElementSession } from './element-session.ts'

/**
 * A session restricted to one logical channel of its card, 0 to 3: commands are written with the
 * basic channel's class bytes and get the number here. Raw bytes name their channel themselves.
 */
export function onLogicalChannel(session: ElementSession, number: number): ElementSession {
  if (number === 0) return session
  const on = (command: Command): Command => ({ ...command, cla: numbered(command.cla, number) })
  return {
    ...session,
    channel: () => session.channel(number),
    select: (aid, options) => session.select(aid, { ...options, logicalChannel: number }),
    openChannel: (options) => session.openChannel({ ...options, logicalChannel: number }),
    send: (command, options) => session.send(on(command), options),
    sendBatch: (steps, options) =>
      session.sendBatch(
        steps.map(({ commands, ...step }) => ({
          ...step,
          commands: commands.map((each) => (each instanceof Uint8Array ? each : on(each))),
        })),
        options,
      ),
  }
}
