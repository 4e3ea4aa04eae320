import { commandStation, type ResultMemory } from './command-station.ts'
import { desiredStation } from './desired-station.ts'
import type { Outbox } from './outbox.ts'

interface Options {
  outbox: Outbox
  memory: ResultMemory
  flush: () => void
  /** Reports immediately, off schedule. */
  report: () => void
  /** Between two reports. */
  setSeconds: (seconds: number) => void
  /** Additional commands of this device. */
  commands?: Record<string, (d: unknown) => unknown>
}

/** The behaviour of the reference device: a few commands, and one setting, `interval`. */
export function deviceWork({ outbox, memory, flush, report, setSeconds, ...more }: Options) {
  const commands: Record<string, (d: unknown) => unknown> = {
    ping: () => ({ at: new Date().toISOString() }),
    echo: (d) => d,
    report: () => report(),
    ...more.commands,
  }
  return {
    onCommand: commandStation({
      run: async (name, d) => {
        const run = Object.hasOwn(commands, name) ? commands[name] : undefined
        if (!run) throw new Error(`This device does not know the command ${name}.`)
        return run(d)
      },
      memory,
      answer({ id, ok, d = null, error }) {
        outbox.add('result', d, Date.now(), { id, ok, ...(error !== undefined && { error }) })
        flush()
      },
    }),
    onDesired: desiredStation({
      apply(key, value) {
        // Other keys would be settings of a real device: this one only remembers them.
        if (key !== 'interval') return
        if (typeof value !== 'number' || !(value > 0 && value <= 86_400))
          throw new Error('interval is a number of seconds, up to 86400.')
        setSeconds(value)
      },
      answer({ d, ...more }) {
        outbox.add('reported', d, Date.now(), more)
        flush()
      },
    }),
  }
}
