import { DecodeError } from './decode-error.ts'

/** The supplementary logical channels in the first coding of the class byte: 1 to 3. */
export const maxLogicalChannel = 3

const further = 0x40
const firstNumber = 0x03
const furtherNumber = 0x0f
const firstOfFurther = 4

/**
 * The logical channel of a command, 0 (the basic one) to 19, by its class byte (ISO/IEC 7816-4, 5.4.1;
 * GlobalPlatform Card Specification 2.3.1, 11.1.4). Class bytes of proprietary applications are read
 * the same way, as Java Card does.
 */
export const logicalChannelOf = (cla: number): number =>
  (cla & further) === 0 ? cla & firstNumber : (cla & furtherNumber) + firstOfFurther

/**
 * The class byte of the same command on another logical channel, 0 to 3. The secure messaging and
 * chaining bits are kept.
 * @throws DecodeError for another number, or a class byte of the further coding.
 */
export function onLogicalChannel(cla: number, number: number): number {
  if (!Number.isInteger(number) || number < 0 || number > maxLogicalChannel)
    throw new DecodeError('wrongValue', 0, {
      expected: `0–${maxLogicalChannel}`,
      found: `${number}`,
    })
  if ((cla & further) !== 0)
    throw new DecodeError('wrongValue', 0, { expected: '00–3F, 80–BF', found: hexOf(cla) })
  return (cla & ~firstNumber) | number
}

/**
 * The class byte of GET RESPONSE after a command: on the same logical channel. The further coding has
 * 40–7F, C0–CF and E0–EF; cards used the others in their own ways before it existed.
 */
export const responseClass = (cla: number): number =>
  (cla & further) === 0 || (cla & 0xd0) === 0xd0
    ? cla & firstNumber
    : further | (cla & furtherNumber)

const hexOf = (byte: number) => byte.toString(16).toUpperCase().padStart(2, '0')
