import { commandLayout } from '@grove/secure-element/apdu'

/** The first byte, and the end (exclusive). */
export type ByteRange = [from: number, to: number]

/** A command with its data zeroed; the lengths stay. */
export function withoutData(command: Uint8Array): { bytes: Uint8Array; range: ByteRange } {
  const range = dataOf(command)
  return { bytes: command.slice().fill(0, ...range), range }
}

const header = 4

/** The lengths of an invalid command are not trusted: everything after its header is data. */
function dataOf(command: Uint8Array): ByteRange {
  try {
    const { dataFrom, dataTo } = commandLayout(command)
    return [dataFrom, dataTo]
  } catch {
    return [Math.min(header, command.length), command.length]
  }
}
