import type { Redaction } from '../card/session.rules.ts'

const putKey = 0xd8
const storeData = 0xe2
/** VERIFY, CHANGE REFERENCE DATA and RESET RETRY COUNTER, with their forms for data objects. */
const pins = new Set([0x20, 0x21, 0x24, 0x25, 0x2c, 0x2d])
/**
 * In STORE DATA, P1 says that its data is encrypted: with a static key, which the log may outlive.
 */
const encryptedData = 0x60

/**
 * Why the data of a command is never stored. The instruction decides, whatever its class, so that a
 * protected command, a fragment and one with wrong lengths are treated alike. The cryptograms of
 * INITIALIZE UPDATE and EXTERNAL AUTHENTICATE stay: they explain keys that do not match, and they
 * reveal no more about a key than the card tells anyone who asks.
 */
export function redactionOf(command: Uint8Array, isSecret: boolean): Redaction | null {
  const [, ins = 0, p1 = 0] = command
  if (ins === putKey) return 'keys'
  if (pins.has(ins)) return 'pin'
  return isSecret || (ins === storeData && (p1 & encryptedData) !== 0) ? 'secret' : null
}
