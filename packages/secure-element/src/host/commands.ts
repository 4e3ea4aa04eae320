import type { Command } from '../apdu.ts'
import { byteAt, concat, readHex } from '../bytes.ts'
import { maxLogicalChannel } from '../class-byte.ts'
import { DecodeError } from '../decode-error.ts'
import { lifeCycleByte, type LifeCycleState } from '../life-cycle.ts'
import { encodeTlv, type TlvInput } from '../tlv.ts'
import { aidBytes, blocksOf, byteOf, command } from './fields.ts'

const none = new Uint8Array()

/** SELECT by name. With a partial AID or none, the card chooses. */
export function select({ aid, isNext = false }: { aid?: string; isNext?: boolean } = {}): Command {
  const data = aid === undefined || aid === '' ? none : readHex(aid)
  if (data.length > 16)
    throw new DecodeError('wrongLength', 5, { expected: '0–16', found: `${data.length}` })
  return { ...command(0xa4, 0x04, isNext ? 0x02 : 0x00, data), cla: 0x00 }
}

/** MANAGE CHANNEL: the card opens a free logical channel, and returns its number. */
export const openLogicalChannel = (): Command => ({
  ...command(0x70, 0x00, 0x00, none),
  cla: 0x00,
  le: 1,
})

/** MANAGE CHANNEL: closes a logical channel, 1 to 3. */
export const closeLogicalChannel = (number: number): Command => ({
  ...command(0x70, 0x80, byteOf(number, 1, maxLogicalChannel), none, false),
  cla: 0x00,
})

/** GET DATA of an object with a tag of one or two bytes in hex. */
export function getData({ tag, cla = 0x80 }: { tag: string; cla?: 0x00 | 0x80 }): Command {
  const bytes = readHex(tag)
  if (bytes.length > 2) throw new DecodeError('tagTooLong', 0, { expected: '2', found: tag })
  const [first, second] =
    bytes.length === 1 ? [0, byteAt(bytes, 0)] : [byteAt(bytes, 0), byteAt(bytes, 1)]
  return { ...command(0xca, first, second, none), cla }
}

const subsets = { issuer: 0x80, applications: 0x40, loadFiles: 0x20, loadFilesAndModules: 0x10 }

export type StatusSubset = keyof typeof subsets

/**
 * GET STATUS in the `E3` format, or as records (`parseStatusRecords`). After `6310`, continue with
 * `isNext`.
 */
export function getStatus({
  subset,
  aid = '',
  tags,
  isNext = false,
  asRecords = false,
}: {
  subset: StatusSubset
  /** Only entries whose AID has this prefix. */
  aid?: string
  /** Only these objects of each entry. */
  tags?: readonly string[]
  isNext?: boolean
  asRecords?: boolean
}): Command {
  const search: TlvInput[] = [{ tag: '4F', value: aid === '' ? none : readHex(aid) }]
  if (tags) search.push({ tag: '5C', value: concat(...tags.map(readHex)) })
  const format = asRecords ? 0x00 : 0x02
  return command(0xf2, subsets[subset], format | (isNext ? 0x01 : 0x00), encodeTlv(search))
}

/** DELETE of an application or a load file, optionally with everything created from it. */
export const deleteObject = ({
  aid,
  withRelated = false,
}: {
  aid: string
  withRelated?: boolean
}): Command =>
  command(0xe4, 0x00, withRelated ? 0x80 : 0x00, encodeTlv([{ tag: '4F', value: aidBytes(aid) }]))

/** DELETE of one key, of a whole version, or of one id in all versions. */
export function deleteKey({ id, version }: { id?: number; version?: number }): Command {
  const objects: TlvInput[] = []
  if (id !== undefined) objects.push({ tag: 'D0', value: Uint8Array.of(byteOf(id, 1, 0x7f)) })
  if (version !== undefined)
    objects.push({ tag: 'D2', value: Uint8Array.of(byteOf(version, 1, 0x7f)) })
  if (objects.length === 0) throw new DecodeError('missingTag', 5, { expected: 'D0 / D2' })
  return command(0xe4, 0x00, 0x00, encodeTlv(objects))
}

/** SET STATUS of the card. The AID may be omitted: a card has one issuer domain. */
export const setCardState = ({ state, aid }: { state: LifeCycleState; aid?: string }): Command =>
  command(0xf0, 0x80, lifeCycleByte('card', state), aid === undefined ? none : aidBytes(aid), false)

/** SET STATUS that locks or unlocks an application, or a domain with all its applications. */
export const setLock = ({
  aid,
  isLocked,
  withApplications = false,
}: {
  aid: string
  isLocked: boolean
  withApplications?: boolean
}): Command =>
  command(0xf0, withApplications ? 0x60 : 0x40, isLocked ? 0x80 : 0x00, aidBytes(aid), false)

/** SET STATUS to an application-specific state, or to a domain life cycle state. */
export const setApplicationState = ({ aid, state }: { aid: string; state: number }): Command =>
  command(0xf0, 0x40, byteOf(state), aidBytes(aid), false)

const formats = { unspecified: 0x00, dgi: 0x08, tlv: 0x10 }
const encryptions = { unspecified: 0x00, applicationDefined: 0x20, encrypted: 0x60 }

/** STORE DATA, in as many blocks as needed. */
export function storeData({
  data,
  format = 'unspecified',
  encryption = 'unspecified',
  expectsReply = false,
  blockSize = 255,
}: {
  data: Uint8Array
  format?: keyof typeof formats
  encryption?: keyof typeof encryptions
  expectsReply?: boolean
  blockSize?: number
}): Command[] {
  const kind = formats[format] | encryptions[encryption] | (expectsReply ? 0x01 : 0x00)
  const blocks = blocksOf(data, blockSize)
  return blocks.map((block, index) => {
    const last = index === blocks.length - 1 ? 0x80 : 0x00
    return command(0xe2, kind | last, index, block, expectsReply)
  })
}
