import { parseArgs } from 'node:util'
import { StartupError } from '../core/startup-error.ts'
import { maxSampleDevices } from './fleet-device.ts'

export const help = `Fills the fleet with sample devices and their secure elements.

  npm run sample -- --devices 1000000

  --devices N   Add sample devices until there are N of them, at most ${maxSampleDevices}.
                Those already there count, so a fill that was stopped continues.
  --help        This text.

The database is the one that Grove uses: DATABASE_URL, or the data folder GROVE_DATA, whose server
must be stopped first. Ctrl-C stops after the batch that is running.`

/** @throws StartupError naming the invalid argument. */
export function readArguments(args: string[]): number | 'help' {
  const { devices, help: isHelp } = parse(args)
  if (isHelp) return 'help'
  if (devices === undefined)
    throw new StartupError('Say how many devices: npm run sample -- --devices 1000000')
  const count = /^\d+$/.test(devices) ? Number(devices) : Number.NaN
  if (!(count >= 1 && count <= maxSampleDevices))
    throw new StartupError(
      `--devices is "${devices}"; it must be a whole number from 1 to ${maxSampleDevices}.`,
    )
  return count
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: { devices: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    }).values
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('. ')[0] : String(cause)
    throw new StartupError(`${reason}. Try: npm run sample -- --help`, { cause })
  }
}
