import { softwareCard, type SoftwareCard } from '@grove/secure-element/card/software-card'
import type { OfferedElement } from './element-station.ts'

/** The answer of a broken element to every command of one instruction. */
interface Fault {
  ins: number
  statusWord: number
}

const hexByte = /^[\da-f]{2}$/i
const hexWord = /^[\da-f]{4}$/i

/**
 * Software elements of a device, each derived from its id: the same after a restart. A card is
 * created at its first command: a fleet has many elements, of which few are used. The commands
 * `break` and `mend` are for practising with a failing device.
 */
export function softwareElements(deviceId: string, count: number) {
  let fault: Fault | undefined
  const elements = Array.from({ length: count }, (_, index): OfferedElement => {
    const seed = `${deviceId} ${index}`
    let card: SoftwareCard | undefined
    return {
      cplc: softwareCard({ seed }).snapshot().cplc,
      transmit: async (command) => {
        if (fault && command[1] === fault.ins)
          return Uint8Array.of(fault.statusWord >> 8, fault.statusWord & 0xff)
        card ??= softwareCard({ seed })
        return card.transmit(command)
      },
      take: async () => card?.reset(),
      release: async () => card?.reset(),
    }
  })
  const commands = {
    break(d: unknown) {
      const { instruction, statusWord } = (d ?? {}) as Record<string, unknown>
      if (typeof instruction !== 'string' || !hexByte.test(instruction))
        throw new Error('instruction should be two digits of hex, such as A4.')
      if (typeof statusWord !== 'string' || !hexWord.test(statusWord))
        throw new Error('statusWord should be four digits of hex, such as 6F00.')
      fault = { ins: parseInt(instruction, 16), statusWord: parseInt(statusWord, 16) }
    },
    mend() {
      fault = undefined
    },
  }
  return { elements, commands }
}
