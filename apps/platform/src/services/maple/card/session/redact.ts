import { commandLayout } from '@grove/secure-element/apdu'

/** The first byte, and the byte behind the last. */
export type ByteRange = [from: number, to: number]

/** A command without its data: zeros stand in their place, behind the same lengths. */
export function withoutData(command: Uint8Array): { bytes: Uint8Array; range: ByteRange } {
  const range = dataOf(command)
  return { bytes: command.slice().fill(0, ...range), range }
}

const header = 4

/** What is no command has no lengths to believe: everything behind its header is data. */
function dataOf(command: Uint8Array): ByteRange {
  try {
    const { dataFrom, dataTo } = commandLayout(command)
    return [dataFrom, dataTo]
  } catch {
    return [Math.min(header, command.length), command.length]
  }
}
